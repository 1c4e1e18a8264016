# The shell that ask.zsh asks: its compadd prints the matches that it is given.
PROMPT= PROMPT2= RPROMPT=
stty -echo
unsetopt zle_bracketed_paste
fpath=($1 $fpath)
autoload -Uz compinit
compinit -D -u
compadd() {
	# With -O, -A or -D, which fill arrays, nothing is offered (zshcompwid(1), compadd).
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	local -a hits
	builtin compadd -A hits "$@"
	(($#hits)) && print -rl -- "" OFFER:$^hits
	builtin compadd "$@"
}
offered() {
	print
	print OFFER""ED
	exit
}
comppostfuncs=(offered)
bindkey '^I' complete-word
print RE""ADY
