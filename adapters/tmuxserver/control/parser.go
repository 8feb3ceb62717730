// Package control speaks tmux's control mode: it carries command lists over one client that stays, and hears from it what
// happens in panes.
package control

import (
	"bytes"
	"strconv"
	"strings"
)

// A Message is one thing that tmux says: a block or a notification.
type Message struct {
	Block *Block // nil: a notification
	Name  string // of a notification, such as "%output"
	Rest  string // what follows the name, as it came; of long notifications only the beginning
}

// A Block is what one command printed.
type Block struct {
	Own    bool // a command of this client's; otherwise of a hook, or the one that attached it
	Number int  // of the command, among all that tmux runs
	Failed bool
	Output string // lines, each with its newline, unescaped as tmux prints them
	Cut    bool   // there was more than the parser keeps; what came last is missing
}

// greatestNotification is how much of a notification is kept: names and ids, but not all that a pane wrote.
const greatestNotification = 4096 // bytes

// A Parser cuts the bytes that a control-mode client reads into messages, however they are split. A block ends with the line
// that repeats the time, number and flags of its beginning; whatever else stands between is output, whatever it looks like.
type Parser struct {
	MaxOutput int // bytes of output that are kept of one block; 0: none

	line  []byte // begun and not ended
	guard string // what the end of the open block repeats; empty: none is open
	block Block
	body  strings.Builder
}

// Feed takes bytes and calls say for each message that they complete, in order.
func (p *Parser) Feed(data []byte, say func(Message)) {
	for {
		piece, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			p.keep(piece)
			return
		}
		line := piece
		if len(p.line) > 0 {
			p.keep(piece)
			line = p.line
		}
		p.take(line, say)
		p.line, data = p.line[:0], rest
	}
}

// keep keeps the beginning of a line, as much as there can be use for.
func (p *Parser) keep(piece []byte) {
	room := greatestNotification
	if p.guard != "" {
		room = max(room, p.MaxOutput-p.body.Len()+1) // one more shows that there is too much
	}
	p.line = append(p.line, piece[:min(len(piece), max(room-len(p.line), 0))]...)
}

// take takes one whole line.
func (p *Parser) take(line []byte, say func(Message)) {
	if p.guard != "" {
		end, failed := string(line) == "%end "+p.guard, string(line) == "%error "+p.guard
		if end || failed {
			block := p.block
			block.Failed, block.Output = failed, p.body.String()
			p.guard, p.block, p.body = "", Block{}, strings.Builder{}
			say(Message{Block: &block})
			return
		}
		if p.block.Cut || p.body.Len()+len(line)+1 > p.MaxOutput {
			p.block.Cut = true
			return
		}
		p.body.Write(line)
		p.body.WriteByte('\n')
		return
	}
	if len(line) == 0 || line[0] != '%' {
		return // what a job of a hook prints belongs to nothing
	}
	name, rest, _ := strings.Cut(string(line[:min(len(line), greatestNotification)]), " ")
	if name == "%begin" {
		if number, flags, ok := begins(rest); ok {
			p.guard, p.block = rest, Block{Own: flags&1 != 0, Number: number}
			return
		}
	}
	say(Message{Name: name, Rest: rest})
}

// begins reads time, number and flags, and gives the last two.
func begins(rest string) (number, flags int, ok bool) {
	fields := strings.Split(rest, " ")
	if len(fields) != 3 {
		return 0, 0, false
	}
	var values [3]int
	for i, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, 0, false
		}
		values[i] = n
	}
	return values[1], values[2], true
}
