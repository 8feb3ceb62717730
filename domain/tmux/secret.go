package tmux

import "regexp"

// secretName is what the names of variables say that should not be shown.
var secretName = regexp.MustCompile(`(?i)secret|token|passw|passphrase|credential|private|api_?key|access_?key|auth|cookie|signature|_key$|^key$|_pass$|^pass$|_pwd$|_pat$|_dsn$|session_?id|jwt`)

// secretValue is what values look like that hold a password, whatever the name.
var secretValue = regexp.MustCompile(`://[^/@\s]*:[^/@\s]+@|-----BEGIN [A-Z ]*PRIVATE KEY`)

// LooksSecret reports whether a variable of an environment looks like a secret, by its name or its value. A name that only says where
// something is does not: SSH_AUTH_SOCK.
func LooksSecret(name, value string) bool {
	return secretName.MatchString(name) && name != "SSH_AUTH_SOCK" && name != "XAUTHORITY" || secretValue.MatchString(value)
}
