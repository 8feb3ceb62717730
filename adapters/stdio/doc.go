// Package stdio is the guarded JSON-RPC transport: an MCP session over two streams, one message a line, that no
// input ends but its own end.
//
// The SDK's own transport takes the first bad line for the end of the session, answers nobody after EOF and
// waits without bound for a peer that stopped reading. This one owns the framing instead:
//
//	stdin -> lines -> decode -> ledger -> Read -> the SDK -> middleware -> handlers
//	stdout <- outbox <------------------- Write <- the SDK <----------------'
//
// Each part answers for one thing:
//
//   - Lines cuts the input at line feeds in bounded memory; what is longer than a frame may be is read and dropped.
//   - Decode is pure: UTF-8, grammar, depth, nodes, repeated names and the envelope of JSON-RPC. A bad line is
//     answered with an error frame, which bears the line's id where that can be read and no call in flight has it,
//     and the session goes on.
//   - The ledger knows the calls in flight. It refuses an id that is in use and calls beyond the limit, and
//     withholds the answer of a call that the peer cancelled.
//   - The outbox queues the output, so that no handler waits for the peer, and ends the session when the peer
//     leaves too much of it unread or reads next to nothing for too long.
//   - At the end of the input, Read drains: it keeps the end from the SDK, which would drop the answers still to
//     come. Calls that end within a grace are answered as ever; the others are cancelled as the peer would cancel
//     them, save that their answers are sent. All of it has a bound.
//
// Two middlewares belong to it, because only they stand between the SDK and the handlers: Contain turns a panic
// into an error of that call, Concurrency lets calls wait their turn.
//
// # Who owns what
//
// Read runs in the goroutine of its caller. The outbox's writer is the only goroutine of a connection; Close
// waits for it. An *os.File given to New is polled, never closed and never made non-blocking (that would change it for
// every process that shares it), so that a blocked read or write of a pipe, a socket or a terminal can be ended.
// Any other stream is closed for that purpose, and its Close must end a blocked call. What remains: a write to a
// terminal that accepted part of a page and then stopped is beyond reach; Serve returns all the same.
//
// A process that serves on its standard streams should ignore SIGPIPE for the sake of stderr; writes to stdout
// do not need it here.
package stdio
