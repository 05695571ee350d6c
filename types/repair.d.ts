// The repair of arguments that are nearly right.

/** A rule; docs/repair.md has what each repairs. */
export type RepairRule =
  | 'json_text'
  | 'number_text'
  | 'boolean_text'
  | 'text_of_number'
  | 'text_of_boolean'
  | 'single_item'
  | 'enum_spelling'
  | 'null_absent'
  | 'wrapped_arguments'
  | 'code_fence'
  | 'trailing_comma'
  | 'tool_name'

/** The rules that repair: true for all, false for none, or a list. */
export type RepairSetting = boolean | readonly RepairRule[]
