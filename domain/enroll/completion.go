package enroll

// A Completion is how a script ended, as the helper that waited for it says.
type Completion struct {
	Status int    // exit status; of no meaning with Signal
	Signal string // that ended it, such as "SIGKILL"; empty if it exited
	Stdout []byte // all that was written until the script ended, and until the outputs were closed if that came soon
	Stderr []byte
	// Open says that a process which the script left behind held an output open: what it wrote after a short time is not here.
	Open bool
}
