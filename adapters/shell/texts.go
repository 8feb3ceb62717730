package shell

import (
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The names of the files of a frame's directory.
const (
	fileGo       = "go"       // what the pane's shell sources
	fileBody     = "b"        // what go sources, in a subshell
	fileFish     = "w"        // what a pane's fish gives to /bin/sh instead of go
	fileHand     = "hs"       // the handshake, run by /bin/sh
	fileCommand  = "cmd"      // the command, as the caller wrote it
	fileUp       = "up"       // FIFO from the shell to us
	fileDown     = "down"     // FIFO from us to the shell
	fileHistory  = "h"        // the newest line of the history of a bash
	fileErrexit  = "e"        // exists if the pane's shell has errexit on
	fileRan      = "ran"      // exists once the command was let go
	fileStatus   = "st"       // the status and a newline, once the command ended
	fileStdout   = "out"      // of a plan with streams
	fileStderr   = "err"      // of a plan with streams
	fileAttended = "attended" // locked while a process of ours attends the frame
	fileLeader   = "leader"   // the identity of the process that Started answers
	filePlan     = "plan"     // the record of the run as it was staged
)

// handshake is an external sh, so that nothing the person defined in their shell reaches it: not their functions (a
// /bin/sh that is bash imports exported ones, which special builtins beat), options, IFS or umask. It opens `down` before it
// writes to `up`, because what we answer may be our end's last act; after 9 is closed we are the only writer, so our death is
// an end of file. The status is recorded before the end is said, and what a plan with streams wrote is shown in between: a
// C-c meanwhile costs the rest of the show alone. Under errexit the status would end the person's shell.
const handshake = `{ unset -f command echo printf read test cat; set +exuv; } 2>/dev/null
PATH=/usr/bin:/bin
umask 077
exec 9<>'@D/down' 7<'@D/down' 9<&-
f=
case $1 in
start)
printf '%s\n' @LINE
case $2 in *e*) : >'@D/e';; esac
echo "start $PPID" >&8
;;
end)
test -e '@D/e' && f=1
echo "$2" >'@D/st'
@SHOW
echo "end $2" >&8
;;
esac
IFS= read -r x <&7
case $1 in
start) test "$x" = go && : >'@D/ran';;
end) test "$f" || exit "$2";;
esac
`

// showStreams lets the person see what went to files.
const showStreams = `cat '@D/out'
cat '@D/err' >&2
`

// source is as small as can be, because some shells print the text of the subshell when it is stopped.
const source = `(\. '@D/b') 8<>'@D/up'
`

// forget takes the typed line out of the history of a bash that does not ignore lines with a leading blank. The others
// either do or offer no way. It goes through a file because since 5.2 bash reads one without a process of its own; under errexit what is
// no condition would end the person's shell.
const forget = `if HISTTIMEFORMAT= \history 1 >'@D/h'; then
case $(<'@D/h') in *' \. @D/go') \history -d -1;; esac
fi
`

// body runs in a subshell of the pane's shell. The backslashes beat aliases. What would print into the output or end the
// subshell early is off: errexit, nounset, xtrace, verbose, and the traps that subshells inherit. The trap does nothing, by a
// command that no alias or function can replace; its variable's name is the run's own, because a readonly one would
// fail. It is "if ... fi", because "|| exit" would leave the person's shell under errexit.
const body = `__tf@RUN=$-
{ \set +exuv; \trap - DEBUG ERR; @QUIET} 2>/dev/null
if /bin/sh '@D/hs' start "$__tf@RUN"; then
\trap __tf@RUN= INT QUIT
( \trap - INT QUIT; @INNER ) 8<&-@STREAMS
/bin/sh '@D/hs' end "$?"
fi
`

// How a family differs.
const (
	quietBash = `\trap - RETURN; `
	quietZsh  = `\unsetopt err_return; `
	// Setting a limit to what it is makes ksh93 fork here; its subshell would be the pane's own process otherwise.
	quietKsh = `\ulimit -S -c "$(\ulimit -S -c)"; `

	inner = `\. '@D/cmd'`
	// A zsh whose sourced file is interrupted in a loop of builtins says 0 or 130, as it happens.
	innerZsh = `{ \. '@D/cmd'; } always { case $TRY_BLOCK_INTERRUPT in 1) \exit 130;; esac; }`
	// Of fish's language, a file is all that another shell can give it.
	innerFish = `exec fish '@D/cmd'`
)

// fish is sourced by a sh, because children of a file that fish sources get process groups of their own, so that C-z
// would leave the command an orphan. A sh around a second fish keeps them together.
const fish = `exec 8<>'@D/up'
. '@D/b'
`

// appendStreams goes to files that exist already: neither noclobber nor umask matters, and a program that reopens
// /dev/stderr leaves no hole.
const appendStreams = ` >>'@D/out' 2>>'@D/err'`

// texts gives the files of a plan's frame in dir, by name. Dir needs no quoting.
func texts(dir string, plan ports.Plan) map[string]string {
	entry, name, quiet, inner := source, fileGo, "", inner
	switch plan.Shell {
	case guard.Bash:
		entry, quiet = forget+source, quietBash
	case guard.Zsh:
		quiet, inner = quietZsh, innerZsh
	case guard.Ksh:
		quiet = quietKsh
	case guard.Fish:
		entry, name, inner = fish, fileFish, innerFish
	case guard.Dash, guard.Mksh, guard.Busybox: // need nothing of their own
	}
	command := plan.Command
	if !strings.HasSuffix(command, "\n") {
		command += "\n" // some shells want one after the end mark of a here document
	}
	files := map[string]string{fileCommand: command}
	streams, show := "", ""
	if plan.Streams {
		streams, show = appendStreams, showStreams
		files[fileStdout], files[fileStderr] = "", ""
	}
	parts := strings.NewReplacer("@QUIET", quiet, "@INNER", inner, "@STREAMS", streams, "@SHOW\n", show)
	values := strings.NewReplacer("@D", dir, "@RUN", plan.RunID, "@LINE", quote(plan.Shown))
	for name, text := range map[string]string{name: entry, fileBody: body, fileHand: handshake} {
		files[name] = values.Replace(parts.Replace(text))
	}
	return files
}

// line is what is typed for a plan's frame in dir. The leading blank keeps it out of the history where the shell can; the
// backslash beats an alias of the dot.
func line(dir string, shell guard.Shell) string {
	if shell == guard.Fish {
		return " /bin/sh " + dir + "/" + fileFish
	}
	return ` \. ` + dir + "/" + fileGo
}

// quote makes text one word of a POSIX shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
