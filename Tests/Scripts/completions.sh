#!/usr/bin/env bash
# Loads the completions of a command into bash, zsh and fish, and lets each shell complete a verb and an option. A shell
# that is not installed is a failure.
#
# usage: completions.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
name=$(basename "$program")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "completions: $*" >&2; exit 1; }
for shell in bash zsh fish; do
  command -v $shell > /dev/null || fail "$shell is not installed"
  "$program" completions $shell > "$work/$shell"
  $shell -n "$work/$shell" || fail "$shell does not accept its completions"
done

# Prints the only word that a shell makes of the words `$2…`.
complete_in() {
  local shell=$1 line="$name ${*:2}"
  case $shell in
  bash)
    bash --norc -c "source '$work/bash'; COMP_WORDS=($line); COMP_CWORD=$(($# - 1)); _${name//-/_}; printf '%s\n' \"\${COMPREPLY[@]}\""
    ;;
  fish) fish --no-config -c "source '$work/fish'; complete -C '$line'" | cut -f 1 ;;
  zsh)
    mkdir -p "$work/functions"
    cp "$work/zsh" "$work/functions/_$name"
    # Completion needs the line editor, which needs a terminal.
    cat > "$work/script.zsh" <<ZSH
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1="ready> "; RPS1=; fpath=("$work/functions" \$fpath); autoload -U compinit; compinit -u -D; '
zpty -r shell output '*ready> *'
zpty -w -n shell \$'$line\t'
sleep 1
zpty -w -n shell \$'\C-Aprint -r -- \C-E > "$work/line"\n'
for try in {1..100}; do [[ -s "$work/line" ]] && break; sleep 0.1; done
zpty -d shell
ZSH
    rm -f "$work/line"
    timeout 60 zsh -f "$work/script.zsh" > "$work/output" 2>&1 || { cat -v "$work/output" >&2; return 1; }
    sed "s/ *\$//; s/.* //" "$work/line"
    ;;
  esac
}
for shell in bash zsh fish; do
  verb=$(complete_in $shell verif) || fail "$shell does not complete a verb"
  [ "$verb" = verify ] || fail "$shell completes 'verif' to '$verb'"
  option=$(complete_in $shell report store.annals --wat) || fail "$shell does not complete an option"
  [ "$option" = --watch ] || fail "$shell completes '--wat' to '$option'"
  echo "$shell: verify, --watch"
done
