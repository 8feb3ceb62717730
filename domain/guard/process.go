package guard

import "time"

// A Foreground says what the foreground of a pane's terminal is doing.
type Foreground string

// The foregrounds. The zero value is none of them and is treated as ForegroundUnknown.
const (
	AtPrompt          Foreground = "at_prompt" // an interactive shell of our uid waits at its prompt
	ForegroundBusy    Foreground = "busy"      // a shell that runs something, or starts
	ForegroundNot     Foreground = "not_shell" // another program, or a shell in which no framed command can run
	ForegroundUnknown Foreground = "unknown"   // no evidence: treated as not a shell
)

// A Shell is a shell family by the base name of its executable, such as "bash" or "busybox".
type Shell string

// The shells in which a framed command can run.
const (
	Bash    Shell = "bash"
	Zsh     Shell = "zsh"
	Dash    Shell = "dash"
	Mksh    Shell = "mksh"
	Busybox Shell = "busybox"
	Fish    Shell = "fish"
	Ksh     Shell = "ksh93"
)

// A Process is what inspection concluded of a pane's foreground.
type Process struct {
	State  Foreground
	Shell  Shell         // set with AtPrompt and ForegroundBusy, unless only a job without its leader is left
	Name   string        // base name of the foreground program, for messages; empty if unknown
	PID    int           // of the foreground process group's leader; 0 if unknown
	Age    time.Duration // of the pane's own process; 0 if unknown
	Reason string        // why State is what it is, a clause for messages: "python3 runs in the foreground"
}

// A Sample is one look at the foreground of a pane's terminal, as the system shows it. Classify judges it.
type Sample struct {
	Err         error  // inspection failed as a whole: all else is unset
	Leader      int    // process group in the foreground (tpgid)
	LeaderGone  bool   // no process has that id: the leader left, its job runs on
	Command     string // the leader's name as the kernel has it, at most 15 bytes; readable by everyone
	Executable  string // base name of the leader's executable; empty if unreadable
	Argv        []string
	State       byte   // process state letter as in /proc/PID/stat
	SameUser    bool   // the leader's real uid is ours
	Canonical   bool   // the terminal's ICANON
	Echo        bool   // the terminal's ECHO
	WaitChannel string // kernel function in which the leader sleeps (/proc/PID/wchan); empty if unreadable
	// ReadCount is the third argument if the leader is inside read(0, _, n), else -1.
	ReadCount int
	Age       time.Duration // of the pane's own process
}
