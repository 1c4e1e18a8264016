#compdef h2lab
# zsh completion for h2lab, made by: h2lab completion zsh
_h2lab() {
	local -a offers
	offers=("${(@f)$("$words[1]" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	case $offers[1] in
	'') return 1 ;;
	:files) _files ;;
	:dirs) _files -/ ;;
	*)
		offers=("${(@)${(@)offers//:/\\:}/$'\t'/:}")
		_describe -t words h2lab offers
		;;
	esac
}

# A file of $fpath is called as the function; source <(h2lab completion zsh) defines it.
if [[ $funcstack[1] == _h2lab ]]; then
	_h2lab "$@"
else
	compdef _h2lab h2lab
fi
