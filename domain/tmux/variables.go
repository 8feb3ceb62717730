package tmux

import (
	"slices"
	"strings"
)

// serverVariables are the format variables that mean something without a pane. Source: tmux's format.c, 3.2a to 3.7c.
var serverVariables = strings.Fields(`config_files host host_short next_session_id pid server_sessions sixel_support socket_path
	start_time uid user version`)

// paneVariables are those of a pane, its window and its session. What is about a client, a buffer, the mouse or a mode's list is left out:
// it depends on who asks.
var paneVariables = strings.Fields(`active_window_index alternate_on alternate_saved_x alternate_saved_y bracket_paste_flag
	cursor_blinking cursor_character cursor_colour cursor_flag cursor_shape cursor_very_visible cursor_x cursor_y
	history_all_bytes history_bytes history_limit history_size insert_flag keypad_cursor_flag keypad_flag last_window_index
	mouse_all_flag mouse_any_flag mouse_button_flag mouse_sgr_flag mouse_standard_flag origin_flag
	pane_active pane_at_bottom pane_at_left pane_at_right pane_at_top pane_bg pane_bottom pane_current_command pane_current_path
	pane_dead pane_dead_signal pane_dead_status pane_dead_time pane_fg pane_flags pane_floating_flag pane_height pane_id
	pane_in_mode pane_index pane_input_off pane_key_mode pane_last pane_left pane_marked pane_marked_set pane_mode pane_path
	pane_pb_progress pane_pb_state pane_pid pane_pipe pane_pipe_pid pane_right pane_search_string pane_start_command
	pane_start_path pane_synchronized pane_tabs pane_title pane_top pane_tty pane_unseen_changes pane_width pane_x pane_y
	pane_z pane_zoomed_flag scroll_region_lower scroll_region_upper
	session_activity session_alerts session_attached session_created session_group session_group_attached session_group_size
	session_grouped session_id session_last_attached session_many_attached session_marked session_name session_path
	session_windows synchronized_output_flag
	window_active window_active_clients window_active_sessions window_activity window_activity_flag window_bell_flag
	window_bigger window_cell_height window_cell_width window_end_flag window_flags window_height window_id window_index
	window_last_flag window_layout window_linked window_linked_sessions window_marked_flag window_name window_offset_x
	window_offset_y window_panes window_raw_flags window_silence_flag window_stack_index window_start_flag
	window_visible_layout window_width window_zoomed_flag wrap_flag`)

// IsVariable reports whether a name is that of a format variable that may be asked for: one of tmux's, or an option of the user's own.
// Other names could be options or variables of the environment to tmux.
func IsVariable(name string) bool {
	return IsServerVariable(name) || slices.Contains(paneVariables, name) || IsUserOption(name)
}

// IsServerVariable reports whether a variable means something without a pane.
func IsServerVariable(name string) bool { return slices.Contains(serverVariables, name) }
