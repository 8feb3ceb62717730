// Package wake knows when to look at a pane: when programs write to its terminal, which the kernel tells, and how often at most.
package wake
