// Package grammar is all that the product knows of tmux's language: command lines, formats and their escaping, what
// differs between versions, and what tmux's complaints mean. Where a rule is not in tmux(1), it was measured on tmux
// 3.2a, 3.3a, 3.4, 3.5a, 3.6b and 3.7c.
package grammar
