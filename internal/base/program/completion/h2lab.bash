# bash completion for h2lab, made by: h2lab completion bash
_h2lab() {
	local cur=${COMP_WORDS[COMP_CWORD]} offers
	COMPREPLY=()
	[[ $cur != = ]] || cur=
	offers=$("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
	case $offers in
	:files) return ;;
	# compopt is newer than the bash of macOS, 3.2; without it files are offered where nothing is known.
	:dirs) compopt -o dirnames +o default 2>/dev/null; return ;;
	esac
	COMPREPLY=($(compgen -W "$offers" -- "$cur"))
	compopt +o default 2>/dev/null
}

complete -o default -F _h2lab h2lab
