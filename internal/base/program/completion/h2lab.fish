# fish completion for h2lab, made by: h2lab completion fish
function __h2lab_offers
	set -l line (commandline -opc) (commandline -ct)
	set -l offers ($line[1] complete -- $line[2..-1] 2>/dev/null)
	switch "$offers[1]"
		case :files
			__fish_complete_path (commandline -ct)
		case :dirs
			__fish_complete_directories (commandline -ct)
		case '*'
			string join \n -- $offers
	end
end
complete -c h2lab -f -a '(__h2lab_offers)'
