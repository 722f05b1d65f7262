/** Errors in the configuration, the command line, user code and the choice of a stored run. */
export const CONFIG_ERRORS = {
  config_invalid: {
    class: 'config',
    title: 'The configuration file is not valid',
    fix: 'Correct the key named in the message.',
  },
  permission_rule_widened: {
    class: 'config',
    title: 'A deny rule forbids more calls than it names',
    fix: 'Deny the whole tool, or deny `*` and name what may run under `except`.',
  },
  permission_rule_bypassed: {
    class: 'config',
    title: 'A tool of the agent can get around a deny rule',
    fix: 'Deny that tool as well.',
  },
  key_without_effect: {
    class: 'config',
    title: 'A key has no effect in this version',
    fix: 'Remove the key, or do not rely on it.',
  },
  duration_unit: {
    class: 'config',
    title: 'A duration without a unit is shorter than a second',
    fix: 'Write the unit: `30s`, or `30ms` if milliseconds are meant.',
  },
  watch_failed: {
    class: 'config',
    title: 'Files cannot be watched',
    fix: 'Raise the number of files that the system lets a user watch, or reload by hand.',
  },
  usage_invalid: { class: 'config', title: 'The command was not understood', fix: 'See `--help`.' },
  env_missing: {
    class: 'config',
    title: 'A variable is not set',
    fix: 'Define it in the shell, in troupe.env beside the card, or with --env.',
  },
  model_unknown: {
    class: 'config',
    title: 'The model or its provider is not known',
    fix: 'Write `provider/name` with one of the known providers. A server that speaks the API of OpenAI is `openai-compatible/name`, at `OPENAI_COMPATIBLE_BASE_URL`.',
  },
  model_unset: {
    class: 'config',
    title: 'No model is configured',
    fix: 'Set `model` in the card, `defaults.model` in troupe.json, or pass --model.',
  },
  model_unpriced: {
    class: 'config',
    title: 'The price of a model is not known',
    fix: 'Set it in `providers.<name>.prices`, or cap tokens with `limits.maxTokens`.',
  },
  model_script_invalid: {
    class: 'config',
    title: 'The model script is not valid',
    fix: 'Correct the step named in the message.',
  },
  tool_name_conflict: {
    class: 'config',
    title: 'Two tools have one name',
    fix: 'Rename one of them, or set `toolName`.',
  },
  tool_too_many: {
    class: 'config',
    title: 'The agent has more tools than the provider takes',
    fix: 'Filter them with `tools`.',
  },
  tool_schema_refused: {
    class: 'config',
    title: 'A provider refuses requests that offer the tool',
    fix: 'Change the tool as the message says, or filter it out with `tools`.',
  },
  tool_schema_simplified: {
    class: 'config',
    title: 'A provider is told less of a tool than its schema says',
    fix: 'Nothing has to be done: arguments are checked against the whole schema when a call comes. A schema that is one object with properties goes as it is.',
  },
  data_flow_mixed: {
    class: 'config',
    title: 'Private data, text of strangers and a way out come together',
    fix: 'Let a person approve the tool that sends (`requiresApproval`), deny it (`permissions`), or give the tools to agents that do not meet.',
  },
  name_shadowed: {
    class: 'config',
    title: 'One definition hides another of the same name',
    fix: 'Rename one of them if that is not meant.',
  },
  tool_schema_invalid: {
    class: 'config',
    title: 'The input schema of a tool cannot be used',
    fix: 'Write a JSON Schema of type object.',
  },
  function_not_found: {
    class: 'config',
    title: 'A function named in a card was not found',
    fix: 'Check the path and the export name; the form is `module.ts:function`.',
  },
  function_bad_spec: {
    class: 'config',
    title: 'A function is not named as `module.ts:function`',
    fix: 'Write the file, a colon and the name of the export.',
  },
  function_load_failed: {
    class: 'config',
    title: 'A module named in a card could not be loaded',
    fix: 'Correct the error in the module.',
  },
  function_not_callable: {
    class: 'config',
    title: 'The export named in a card is not a function',
    fix: 'Export a function of that name.',
  },
  mcp_unknown_server: {
    class: 'config',
    title: 'No MCP server of that name is defined',
    fix: 'Define it under `mcpServers` in troupe.json or in the card.',
  },
  mcp_command_line: {
    class: 'config',
    title: 'The command of an MCP server is a whole command line',
    fix: 'Write the program as `command`, and its arguments as a list in `args`.',
  },
  mcp_unknown_prompt: {
    class: 'config',
    title: 'The MCP server has no prompt of that name',
    fix: 'See `troupe servers prompts <server>`.',
  },
  mcp_prompt_arguments: {
    class: 'config',
    title: 'The arguments do not fit the prompt of an MCP server',
    fix: 'Give it `--arg name=value` for each argument that `troupe servers prompts <server>` lists as required.',
  },
  mcp_bad_config: {
    class: 'config',
    title: 'The definition of an MCP server is not valid',
    fix: 'Give it `command` and `args`, or `url`.',
  },
  hook_bad_signature: {
    class: 'config',
    title: 'A hook does not have the form (ctx, args, callNext)',
    fix: 'Export a function of at most three parameters.',
  },
  hook_bad_option: {
    class: 'config',
    title: 'An option of a stock hook is not valid',
    fix: 'Correct the option; docs/hooks.md lists those of every stock hook.',
  },
  hook_concerns_nothing: {
    class: 'config',
    title: 'A stock hook names a tool that the agent does not have',
    fix: 'Correct the glob under `tools` of the hook, or take it out.',
  },
  approval_unknown: {
    class: 'config',
    title: 'No such call waits for a decision',
    fix: 'See `troupe runs show RUN`.',
  },
  session_unknown: {
    class: 'config',
    title: 'There is no such conversation',
    fix: 'Begin one: leave the id out.',
  },
  session_mismatch: {
    class: 'config',
    title: 'The conversation is one with another agent',
    fix: 'Ask that agent, or begin another conversation.',
  },
  run_step_unknown: {
    class: 'config',
    title: 'The run has no such step',
    fix: 'Name a turn: `2` of the root, `1.2/3` of the run that its call 1.2 opened; `troupe runs tree RUN` has them all.',
  },
  cassette_invalid: {
    class: 'config',
    title: 'The file is no recorded run',
    fix: 'Record the run again with `--record`.',
  },
  replay_mismatch: {
    class: 'config',
    title: 'The run is not the one that was recorded',
    fix: 'Undo the change, or record the run again with `--record`.',
  },
} as const
