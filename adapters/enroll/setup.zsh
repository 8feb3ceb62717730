# Sourced, by the line in "setup", with zsh's own options and without aliases: enrolls this shell, and says so or why not.
() {
builtin setopt local_options local_traps extended_glob
builtin trap - DEBUG ZERR
local why REPLY answer version=$ZSH_VERSION
local -i peer in out
if [[ ! -o interactive || ! -o zle ]]; then
	why='this shell is not interactive, or does not edit its lines (zle)'
elif (( ZSH_SUBSHELL )); then
	why='this is a subshell'
elif ! builtin zmodload zsh/zle zsh/system zsh/net/socket 2>/dev/null; then
	why='zsh cannot load its modules zsh/system and zsh/net/socket'
elif ! builtin zsocket @DIR@/invite 2>/dev/null; then
	why='the invitation has expired, or was used already'
else
	peer=$REPLY
	{
		builtin print -r -u $peer -- "hello @TOKEN@ $version" 2>/dev/null
		builtin read -r -t 10 -u $peer answer
		if [[ $answer != ok ]]; then
			why=${answer:-'nobody answered'}
		# Neither waits for the other end: it may be gone.
		elif ! builtin sysopen -r -o cloexec,nonblock -u in @DIR@/down 2>/dev/null || ! builtin sysopen -w -o cloexec,nonblock -u out @DIR@/up 2>/dev/null; then
			why='the server is gone'
		else
			builtin print -r -u $peer -- opened 2>/dev/null
			answer=
			builtin read -r -t 10 -u $peer answer
			[[ $answer == enrolled ]] || why=${answer:-'nobody answered'}
		fi
	} always { # after C-c too
		builtin exec {peer}>&-
		if [[ $answer != enrolled ]]; then
			(( ! in )) || builtin exec {in}<&-
			(( ! out )) || builtin exec {out}>&-
		fi
	}
fi
if [[ -n $why ]]; then
	builtin print -r -u 2 -- "libtmux-mcp: not enrolled: $why"
	return 1
fi
builtin typeset -gHi @NAME@=$out

# The widget takes a request from the descriptor $1: the newest one, for older ones have been given up. It runs the helper only over an
# empty line at the first prompt, and waits for it. Keys that are typed meanwhile are read afterwards.
function @NAME@ {
	builtin emulate -L zsh -o no_aliases -o extended_glob -o no_monitor -o no_notify -o no_bg_nice -o local_traps
	builtin trap - DEBUG ZERR CHLD
	builtin trap '' INT # else it would end this function, and the request after it would never be read
	local text chunk line id
	local -i in=$1 out=$@NAME@ ended
	while (( ! ended )); do
		builtin sysread -t 0 -i $in chunk 2>/dev/null
		ended=$?
		(( ended )) || text+=$chunk
	done
	if (( ended == 5 )); then # end of file: the server is gone
		builtin zle -F $in
		builtin exec {in}<&- {out}>&-
		builtin zle -D @NAME@
		builtin unset @NAME@
		builtin unfunction @NAME@
		return 0
	fi
	line=${${(f)text}[-1]}
	[[ $line == [a-z2-7](#c16)' '[0-9a-f](#c64) ]] || return 0
	id=${line%% *}
	if [[ $CONTEXT != start || $KEYMAP == (viopp|isearch|menuselect|listscroll|command) ]] || (( ZLE_RECURSIVE )); then
		builtin print -r -u $out -- "refused $id busy" 2>/dev/null
		return 0
	elif [[ -n $BUFFER$PREBUFFER$KEYS ]] || (( PENDING || KEYS_QUEUED_COUNT || ${+NUMERIC} )); then # text, the start of a key sequence, or a count
		builtin print -r -u $out -- "refused $id draft" 2>/dev/null
		return 0
	fi
	builtin print -r -u $out -- "ready $id" 2>/dev/null
	@HELPER@ @DIR@/$id ${line##* } </dev/null >/dev/null 2>&1
	builtin print -r -u $out -- "done $id $?" 2>/dev/null
}
builtin zle -N @NAME@
builtin zle -F -w $in @NAME@
builtin print -r -- 'libtmux-mcp: this shell is enrolled'
}
