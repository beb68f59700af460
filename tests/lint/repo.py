"""The files of the repository, as the lints see them: tracked ones and new ones, not what .gitignore leaves out."""
import os
import subprocess


def files(root):
    """Paths relative to ROOT, sorted. Without git (a source archive) every file outside build/ counts."""
    try:
        out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                             check=True, capture_output=True).stdout.decode()
        found = [name for name in out.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in (".git", "build")]
            found += [os.path.relpath(os.path.join(folder, n), root) for n in names]
    return sorted(name for name in found if os.path.isfile(os.path.join(root, name)))


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def c_files(names):
    return [n for n in names if n.endswith((".c", ".h"))]
