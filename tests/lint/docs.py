"""Documents tell the truth where a machine can check it: links resolve, files they name exist, the commands and the
variables in README.md are those of the code, every module has a README."""
import os
import re

import repo

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.S)
PATH = re.compile(r"(?<![\w./-])((?:scripts|base|device|partitioner|profiler|transform|shim|kernels|solver|cli|bench|tests|cmake)"
                  r"/[\w./-]*[\w/])")
COMMAND = re.compile(r"(?:^|[\s`/])yoke ((?!-)[a-z]+)\b")
VARIABLE = re.compile(r"\bYOKE_[A-Z][A-Z0-9_]*\b")
READS = re.compile(r'(?:getenv|yk_env_[a-z]+|locate)\(\s*"(YOKE_[A-Z0-9_]+)"')
ENTRY = re.compile(r"^YK_CL\([^,]+, (\w+),", re.M)
ROW = re.compile(r"^\| (cl[A-Z][^|]*) \| ([\w/.]+) \| ([^|]+) \|$", re.M)
MODULES = ["base", "device", "partitioner", "profiler", "transform", "shim", "kernels", "solver", "cli", "bench", "tests"]


def anchors(text):
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    found = set()
    for heading in re.findall(r"^#+\s+(.*)$", text, re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(slug)
    return found


def check_links(root, name, text, known, problems):
    for target in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.S)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if full not in known and not os.path.isdir(os.path.join(root, full)):
            problems.append(f"{name}: link to {target}: no such file")
        elif anchor and full.endswith(".md") and anchor not in anchors(repo.read(root, full)):
            problems.append(f"{name}: link to {target}: no such heading")


def check_paths(root, name, text, known, problems):
    folder = os.path.dirname(name)
    for code in CODE.findall(text):
        for path in PATH.findall(code):
            if "build/" in code:
                continue  # a built program
            if re.search(r"(^|[/_-])(?!README|CMake)[A-Z]+([/_.-]|$)", path):
                continue  # tests/LABEL, test_X.c: stands for any
            at = [path, path + ".h", path + ".c", os.path.join(folder, path)]
            if f"{path}*" in code:
                at += [os.path.dirname(path)] if any(n.startswith(path) for n in known) else []
            if not any(p in known or os.path.isdir(os.path.join(root, p)) for p in at):
                problems.append(f"{name}: names {path}, which does not exist")


def subcommands(root, known):
    found = {"help"}
    for name in known:
        if name.startswith("cli/") and name.endswith(".c"):
            found |= set(re.findall(r'\.name = "([a-z]+)"', repo.read(root, name)))
    return found


def check_readme(root, known, problems):
    text = repo.read(root, "README.md")
    commands = subcommands(root, known)
    for code in CODE.findall(text):
        for command in COMMAND.findall(code):
            if command not in commands:
                problems.append(f"README.md: 'yoke {command}' is no command")
    read = {}
    for name in known:
        if name.endswith((".c", ".h")) and not name.startswith("tests/"):
            for variable in READS.findall(repo.read(root, name)):
                read.setdefault(variable, name)
    table = set(re.findall(r"^\| `(YOKE_[A-Z0-9_]+)`", text, re.M))
    for variable in sorted(set(read) - table):
        problems.append(f"{read[variable]}: reads {variable}, which is not in README.md's table")
    for variable in sorted(table - set(read)):
        problems.append(f"README.md: {variable} is in the table, but nothing reads it")


def check_entry_points(root, known, problems):
    """Each line of api.def is in the table of shim/README.md, once, with the file that has it and how."""
    rows = {}
    for names, file, how in ROW.findall(repo.read(root, "shim/README.md")):
        code = repo.read(root, "shim/" + file) if "shim/" + file in known else ""
        if not re.match(r"virtualised|forwarded|refused|taken", how):
            problems.append(f"shim/README.md: {names}: not said how: {how}")
        for name in names.split(", "):
            if name in rows:
                problems.append(f"shim/README.md: {name} is in the table twice")
            rows[name] = file
            if not re.search(rf"^[^ \n].*\byk_api_{name[2:]}\(|^yk_api_{name[2:]}\(|^REFUSE\w*\({name[2:]},", code, re.M):
                problems.append(f"shim/README.md: {name} is not in {file}")
    wanted = {"cl" + name for name in ENTRY.findall(repo.read(root, "device/opencl/api.def"))}
    for name in sorted(wanted ^ set(rows)):
        problems.append(f"shim/README.md: {name} is " + ("not in the table" if name in wanted else "no entry point"))


def check(root):
    names = repo.files(root)
    known = set(names)
    problems = []
    for name in names:
        if name.endswith(".md"):
            text = repo.read(root, name)
            check_links(root, name, text, known, problems)
            check_paths(root, name, text, known, problems)
    if "README.md" not in known:
        problems.append("there is no README.md")
    else:
        check_readme(root, known, problems)
    if "device/opencl/api.def" in known and "shim/README.md" in known:
        check_entry_points(root, known, problems)
    for module in MODULES:
        if os.path.isdir(os.path.join(root, module)) and f"{module}/README.md" not in known:
            problems.append(f"{module}/ has no README.md")
    return problems
