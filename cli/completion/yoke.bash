# Completion of yoke(1) for bash. Installed as share/bash-completion/completions/yoke.
# shellcheck shell=bash

_yoke_words() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen -W "$1" -- "$2")
}

_yoke_run() {
    local cur=$1 prev=$2
    case $prev in
    -d | --devices | -p | --primary) _yoke_words "cpu gpu 0 1 2 3" "$cur" ;;
    -s | --strategy) _yoke_words "waterfill skmd linear even guided 70:30 single:" "$cur" ;;
    -n | --numerics) _yoke_words "strict mixed any" "$cur" ;;
    -g | --gather | --pipeline) _yoke_words "auto off force" "$cur" ;;
    --as) _yoke_words "gpu cpu" "$cur" ;;
    --platform) _yoke_words "yoke primary" "$cur" ;;
    --cpu-parts) _yoke_words "2 4 8 numa" "$cur" ;;
    --memory) _yoke_words "device sum host 64G" "$cur" ;;
    -l | --log) _yoke_words "error warn info debug" "$cur" ;;
    -j | --json | -t | --trace) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    *)
        if [[ $cur == -* ]]; then
            _yoke_words "--devices --primary --strategy --numerics --force-split --gather --pipeline --reproducible --verify --as --platform --cpu-parts --memory --memory-limit --trace --json
                --quiet --log --verbose --help --" "$cur"
        else
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        fi
        ;;
    esac
}

_yoke_solve() {
    local cur=$1 prev=$2
    case $prev in
    -t | --task) _yoke_words "PR MAR" "$cur" ;;
    --precision) _yoke_words "double float" "$cur" ;;
    -d | --devices) _yoke_words "cpu opencl cuda all" "$cur" ;;
    *)
        if [[ $cur == -* ]]; then
            _yoke_words "--evid --task --pedigree --loci --theta --memory --threads --search-time --plan --precision --log --devices --explain --json
                --quiet --help" "$cur"
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    esac
}

# Where the program of `yoke run` begins: the index of its name, or nothing.
_yoke_program() {
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) echo $((i + 1)); return ;;
        -d | -p | -s | -n | -g | -l | -j | -t | --trace | --devices | --primary | --strategy | --numerics | --gather | --as | --platform | --cpu-parts | --memory | --memory-limit | --pipeline | --json | --log)
            # bash splits --name=value and 70:30 into words of their own
            while [[ ${COMP_WORDS[i + 1]-} == [=:] || ${COMP_WORDS[i + 2]-} == : ]]; do i=$((i + 1)); done
            i=$((i + 1))
            ;;
        -*) ;;
        *) echo "$i"; return ;;
        esac
    done
}

_yoke() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} program
    if ((COMP_CWORD == 1)); then
        _yoke_words "run devices explain profile report simulate solve help --help --version" "$cur"
        return
    fi
    case ${COMP_WORDS[1]} in
    run)
        program=$(_yoke_program)
        if [[ -n $program ]] && ((COMP_CWORD >= program)) && declare -F _command_offset >/dev/null; then
            _command_offset "$program"
        else
            _yoke_run "$cur" "$prev"
        fi
        ;;
    devices) _yoke_words "--json --help" "$cur" ;;
    explain)
        if [[ $cur == -* ]]; then
            _yoke_words "--json --help --" "$cur"
        else
            mapfile -t COMPREPLY < <(compgen -f -X '!*.cl' -- "$cur"; compgen -d -- "$cur")
        fi
        ;;
    profile) _yoke_words "show model links export import clear --cheap --json --help --" "$cur" ;;
    simulate)
        if [[ $cur == -* ]]; then
            _yoke_words "--machine --trace --strategy --help" "$cur"
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    report)
        if [[ $cur == -* ]]; then
            _yoke_words "--json --svg --html --help --" "$cur"
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    solve) _yoke_solve "$cur" "$prev" ;;
    help) _yoke_words "run devices explain profile report simulate solve" "$cur" ;;
    esac
}

complete -o filenames -o bashdefault -F _yoke yoke
