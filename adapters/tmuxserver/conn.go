package tmuxserver

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A Conn carries tmux commands to one server and their answers back. Quoting is its own matter: arguments hold any bytes
// but NUL, and tmux gets them as they are. A Conn knows nothing of what the commands mean.
//
// All methods are safe for concurrent use and end when their context does. Their errors are *fault.Error of the
// transport: ServerGone if no server answers, TransportError, Unsupported, Capacity, Deadline, Cancelled, or DecodeError
// if tmux ran the list and its answer cannot be told apart; the Delivery says whether the commands may have run.
type Conn interface {
	// Run sends one command list, which tmux handles without handling anything else in between. A command that tmux
	// rejects is no error of Run but a Failed reply, and the commands after it are NotRun. If tmux rejects the list as
	// a whole before it runs any of it, the first reply is Failed and Passed is unset.
	Run(ctx context.Context, list List) (Result, error)

	// Load stores data of any size and any bytes in the paste buffer of that name. Empty data creates no buffer.
	Load(ctx context.Context, buffer string, data []byte) error

	// Room is how many bytes, whatever they are, the last argument of the list may still grow by. Negative: the list
	// is too long already.
	Room(list List) int

	// Socket is the absolute path of the server's socket, with symbolic links resolved as far as it exists.
	Socket() string
}

// A Command is one tmux command: its name and its arguments.
type Command []string

// A List is what one Run sends.
type List struct {
	Guard    *Guard // nil: none
	Commands []Command
	// Start lets the server be started if none runs. A Conn that cannot answers Unsupported if none runs.
	Start bool
}

// A Guard holds a list back unless the state that tmux finds, at the moment it would run the list, is the one that is
// wanted.
type Guard struct {
	Target string // tmux's -t for Format; a target that does not exist is some other one to tmux: name the id in Format
	Format string // a tmux format of the state
	Want   string // what Format must expand to, literally
}

// A Result is the answer to a List.
type Result struct {
	Passed  bool   // the guard held, or there was none: the commands ran as Replies say
	Found   string // what the guard's format expanded to instead, if it did not hold
	GivenUp bool   // tmux gave up the guard's format, as it does from 3.7 on if it does not get to run for 100 ms: nothing ran
	Started bool   // this call started the server
	Replies []Reply
}

// A Reply is the answer to one command.
type Reply struct {
	State ReplyState
	// Output is what the command printed, as tmux printed it. What a hook of the person's prints stands before or
	// after it where the transport cannot tell the two apart, so what must be exact has to delimit itself.
	Output string
	Error  string // tmux's words, with Failed
}

// A ReplyState says what became of a command.
type ReplyState int

// The states of a command.
const (
	NotRun ReplyState = iota
	Done
	Failed
)

// Unmarked is the fault of a list that ran, in whose answer a mark between commands is missing: tmux gives up printing one, too, if it does not get
// to run for 100 ms.
func Unmarked() error {
	return &fault.Error{Kind: fault.DecodeError, Delivery: fault.Observed, Message: "which command printed what tmux answered cannot be told"}
}
