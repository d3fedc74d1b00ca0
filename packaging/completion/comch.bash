# Completion of comch(1) for bash: subcommands, options, and the names of running servers.
# shellcheck shell=bash

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
  case "$command" in
    stat | send | recv | connect)
      [[ $word == -* ]] ||
        own+=" $(comch ls --servers 2>/dev/null | awk 'NR > 1 && $3 == "running" { print $1 }')"
      ;;
  esac
  [[ -n $command && $word != -* ]] || own+=" $common"
  mapfile -t COMPREPLY < <(compgen -W "$own" -- "$word")
}

complete -F _comch comch
