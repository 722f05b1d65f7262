/** Errors in the configuration, the command line, user code and the choice of a stored run. */
export const CONFIG_ERRORS = {
  config_invalid: {
    class: 'config',
    title: 'The configuration file is not valid',
    fix: 'The page "Configuration" of the documentation lists the keys and their values.',
  },
  schedule_invalid: {
    class: 'config',
    title: 'A schedule cannot be used',
    fix: 'Correct the schedule. The page "Schedules and webhooks" of the documentation describes its keys.',
  },
  schedule_unknown: {
    class: 'config',
    title: 'There is no schedule with this name',
    fix: 'List the schedules with `troupe schedules list`.',
  },
  permission_rule_widened: {
    class: 'config',
    title: 'A deny rule blocks more calls than it lists',
    fix: 'Deny the whole tool, or deny `*` and list what may run under `except`.',
  },
  permission_rule_bypassed: {
    class: 'config',
    title: 'A deny rule can be bypassed with another tool of the agent',
    fix: 'Deny that tool too.',
  },
  key_without_effect: {
    class: 'config',
    title: 'A key has no effect in this card',
    fix: 'Remove the key.',
  },
  duration_unit: {
    class: 'config',
    title: 'A duration without a unit is shorter than a second',
    fix: 'Add the unit: `30s`, or `30ms` if milliseconds are meant.',
  },
  watch_failed: {
    class: 'config',
    title: 'Files cannot be watched',
    fix: 'Raise the system limit on watched files, or reload by hand.',
  },
  usage_invalid: { class: 'config', title: 'The command line is not valid', fix: 'See `--help`.' },
  env_missing: {
    class: 'config',
    title: 'A variable is not set',
    fix: 'Define it in the shell, in troupe.env beside the card, or with --env.',
  },
  model_unknown: {
    class: 'config',
    title: 'The model or its provider is unknown',
    fix: 'Write `provider/name` with a known provider. For any other server, add its name to `providers` of troupe.json, with its `baseURL` and `api`.',
  },
  model_unset: {
    class: 'config',
    title: 'No model is configured',
    fix: 'Set `model` in the card, `defaults.model` in troupe.json, or pass --model.',
  },
  model_unpriced: {
    class: 'config',
    title: 'The price of a model is unknown',
    fix: 'Set it in `providers.<name>.prices`, or limit tokens with `limits.maxTokens`.',
  },
  model_script_invalid: {
    class: 'config',
    title: 'The model script is not valid',
    fix: 'Correct the step. The page "Models" of the documentation describes scripts.',
  },
  test_file_invalid: {
    class: 'config',
    title: 'A test file is not valid',
    fix: 'Correct the key. The page "Testing a team" of the documentation describes test files.',
  },
  tool_name_conflict: {
    class: 'config',
    title: 'Two tools have the same name',
    fix: 'Rename one of them, or set `toolName`.',
  },
  tool_too_many: {
    class: 'config',
    title: 'The agent has more tools than the provider accepts',
    fix: 'Filter them with `tools`.',
  },
  tool_schema_refused: {
    class: 'config',
    title: 'A provider rejects requests with the tool',
    fix: 'Change the tool as the message says, or exclude it with `tools`.',
  },
  tool_schema_simplified: {
    class: 'config',
    title: 'A provider receives a simplified schema of a tool',
    fix: 'No action is needed: arguments are checked against the full schema. A plain object schema with properties is sent unchanged.',
  },
  data_flow_mixed: {
    class: 'config',
    title: 'Private data, untrusted content and an exfiltration channel are combined',
    fix: 'Require approval for the sending tool (`requiresApproval`), deny it (`permissions`), or split the tools between agents that exchange no data.',
  },
  name_shadowed: {
    class: 'config',
    title: 'One definition hides another of the same name',
    fix: 'Rename one of them if this is not intended.',
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
    title: 'A function is not written as `module.ts:function`',
    fix: 'Write the file, a colon and the name of the export.',
  },
  function_load_failed: {
    class: 'config',
    title: 'A module named in a card could not be loaded',
    fix: 'Fix the error in the module.',
  },
  function_not_callable: {
    class: 'config',
    title: 'The export named in a card is not a function',
    fix: 'Export a function with this name.',
  },
  python_unavailable: {
    class: 'config',
    title: 'No suitable Python interpreter was found',
    fix: 'Install Python 3.10 or later, or set `python` in troupe.json to its program.',
  },
  mcp_unknown_server: {
    class: 'config',
    title: 'No MCP server with this name is defined',
    fix: 'Define it under `mcpServers` in troupe.json or in the card.',
  },
  mcp_command_line: {
    class: 'config',
    title: 'The `command` of an MCP server contains its arguments',
    fix: 'Write the program as `command`, and its arguments as a list in `args`.',
  },
  mcp_unknown_prompt: {
    class: 'config',
    title: 'The MCP server has no prompt with this name',
    fix: 'List its prompts with `troupe servers prompts <server>`.',
  },
  mcp_prompt_arguments: {
    class: 'config',
    title: 'The arguments are not valid for the prompt of an MCP server',
    fix: 'Pass `--arg name=value` for each required argument; `troupe servers prompts <server>` lists them.',
  },
  mcp_bad_config: {
    class: 'config',
    title: 'The definition of an MCP server is not valid',
    fix: 'Set `command` and `args`, or `url`.',
  },
  hook_bad_signature: {
    class: 'config',
    title: 'A hook does not have the signature (ctx, args, callNext)',
    fix: 'Export a function with at most three parameters.',
  },
  hook_bad_option: {
    class: 'config',
    title: 'An option of a stock hook is not valid',
    fix: 'Correct the option; docs/reference/hooks.md lists the options of each stock hook.',
  },
  hook_concerns_nothing: {
    class: 'config',
    title: 'A stock hook lists a tool that the agent does not have',
    fix: 'Correct the glob under `tools` of the hook, or remove it.',
  },
  guard_invalid: {
    class: 'config',
    title: 'A guard of a card is not valid',
    fix: 'Correct the entry. The page "Guards" of the documentation lists the guards, their actions and their options.',
  },
  approval_unknown: {
    class: 'config',
    title: 'There is no open approval with this id',
    fix: 'List the open approvals with `troupe runs show RUN`.',
  },
  session_unknown: {
    class: 'config',
    title: 'The conversation does not exist',
    fix: 'Leave out the id to start a new conversation.',
  },
  session_mismatch: {
    class: 'config',
    title: 'The conversation belongs to another agent',
    fix: 'Use that agent, or start a new conversation.',
  },
  run_step_unknown: {
    class: 'config',
    title: 'The run does not have this turn',
    fix: 'Specify a turn, such as `2`, or `1.2/3` for turn 3 of the child of call 1.2. See `troupe runs tree RUN`.',
  },
  eval_invalid: {
    class: 'config',
    title: 'A case file or an option of an evaluation is not valid',
    fix: 'Correct it as the message says. The page "Evaluations" of the documentation describes the keys.',
  },
  report_unknown: {
    class: 'config',
    title: 'The report of an evaluation does not exist',
    fix: 'List the reports with `GET /api/evals`.',
  },
  judge_uncalibrated: {
    class: 'config',
    title: 'A judge decides cases, but has not been calibrated with enough labels',
    fix: 'Add human labels under `calibration`, or set `gate: false` on its checks.',
  },
  recording_missing: {
    class: 'config',
    title: 'A model request of an evaluation has no recording',
    fix: 'Run it once with `--recordings-mode auto`, which calls the model.',
  },
  cassette_invalid: {
    class: 'config',
    title: 'The file is not a recorded run',
    fix: 'Record the run again with `--record`.',
  },
  replay_mismatch: {
    class: 'config',
    title: 'The run differs from the recorded run',
    fix: 'Undo the change, or record the run again with `--record`.',
  },
} as const
