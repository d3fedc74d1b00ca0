# Completion of comch(1) for bash: subcommands, options, and the names of running servers.
# shellcheck shell=bash

# Names of running servers that begin with $word. Whoever makes a server chooses its name, so no
# name is expanded here (`compgen -W` expands what it is given), and what goes to the command line
# is quoted. A name that `comch ls` shows with a backslash is not as it is shown, and not offered.
_comch_servers() {
  local row running='^(.*[^ ]) +[^ ]+ +running +[0-9]+  '
  while IFS= read -r row; do
    [[ $row =~ $running && ${BASH_REMATCH[1]} != *\\* && ${BASH_REMATCH[1]} == "$word"* ]] || continue
    COMPREPLY+=("$(printf '%q' "${BASH_REMATCH[1]}")")
  done < <(comch ls --servers 2>/dev/null)
}

_comch() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local common="--device --representor --max-message-size --json --log-level --help --version"
  local command="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      ls | stat | send | recv | connect | listen | bench) command="${COMP_WORDS[i]}" && break ;;
    esac
  done
  case "$previous" in
    --log-level) mapfile -t COMPREPLY < <(compgen -W "off error warning info debug" -- "$word") && return ;;
    --api) mapfile -t COMPREPLY < <(compgen -W "c++ doca both" -- "$word") && return ;;
    --by) mapfile -t COMPREPLY < <(compgen -W "tasks arrays" -- "$word") && return ;;
    --path) mapfile -t COMPREPLY < <(compgen -W "fast control" -- "$word") && return ;;
    --plot) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
    --wait) mapfile -t COMPREPLY < <(compgen -W "poll sleep" -- "$word") && return ;;
    --way) mapfile -t COMPREPLY < <(compgen -W "auto mapped staged cma loan hand-over" -- "$word") && return ;;
    --to) mapfile -t COMPREPLY < <(compgen -W "all first" -- "$word") && return ;;
  esac
  local own=""
  case "$command" in
    "") own="ls stat send recv connect listen bench" ;;
    ls) own="--devices --servers" ;;
    stat) own="--timeout" ;;
    send) own="--raw --timeout" ;;
    recv) own="--count --raw --timeout" ;;
    connect) own="--count --raw --stay --timeout" ;;
    listen) own="--count --echo --quiet --raw --tag --timeout --to" ;;
    bench) own="--api --by --consumers --cpus --path --plot --producers --rounds --seconds --sizes --sleep --wait --way" ;;
  esac
  [[ -n $command && $word != -* ]] || own+=" $common"
  mapfile -t COMPREPLY < <(compgen -W "$own" -- "$word")
  case "$command" in
    stat | send | recv | connect) [[ $word == -* ]] || _comch_servers ;;
  esac
}

complete -F _comch comch
