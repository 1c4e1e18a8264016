# Prints what an interactive zsh offers for a command line, one word a line:
#
#   zsh -f ask.zsh DIR LINE      DIR holds _h2lab
#
# zsh completes in its line editor only, so another zsh runs in a pseudo-terminal.
zmodload zsh/zpty
typeset said=
zpty asked zsh -f -i
zpty -w asked "source ${(q)0:A:h}/asked.zsh ${(q)1}"
zpty -r -m asked said '*READY*' || exit 1
zpty -w -n asked "$2"$'\t'
zpty -r -m asked said '*OFFERED*' || exit 1
for line in ${(f)said}; do
	[[ $line != *OFFER:* ]] || print -r -- ${${line#*OFFER:}%$'\r'}
done
zpty -d asked
