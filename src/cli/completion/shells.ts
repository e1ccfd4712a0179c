/** The hidden command that prints suggestions. */
export const COMPLETE = '__complete';

export const shells = ['bash', 'zsh', 'fish'] as const;

/**
 * Completion scripts by shell. Each calls the program itself, which prints one suggestion per line, with a tab and a
 * description.
 */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  // Bash breaks words at colons, as in latest:ROUTE, and inserts the completion after the last part.
  bash: `_portolan() {
  local IFS=$'\\n' part last=-1 before=
  local -a words
  for part in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((last >= 0)) && [[ -n $part && ($part == :* || \${words[last]} == *:) ]]; then words[last]+=$part
    else words[++last]=$part; fi
  done
  part=\${words[last]}
  if [[ $COMP_WORDBREAKS == *:* ]]; then before=\${part%"\${part##*:}"}; fi
  COMPREPLY=($(portolan ${COMPLETE} "\${words[@]}" 2>/dev/null | cut -f1))
  COMPREPLY=("\${COMPREPLY[@]#"$before"}")
}
complete -o default -F _portolan portolan`,
  zsh: `#compdef portolan
_portolan() {
  local -a found
  found=("\${(@f)$(portolan ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "\${found[1]}" ]]; then _describe -V portolan found; else _files; fi
}
compdef _portolan portolan`,
  fish: `function __portolan_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  portolan ${COMPLETE} $before[2..-1] "$current" 2>/dev/null
end
complete -c portolan -f -a '(__portolan_complete)'
complete -c portolan -n 'test -z "$(__portolan_complete)"' -F`,
};
