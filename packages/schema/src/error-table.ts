/** The classes of failure (R5): who can do something about it. */
export const FAILURE_CLASSES = [
  'config',
  'auth',
  'timeout',
  'network',
  'model',
  'budget',
  'depth',
  'limit',
  'permission',
  'tool',
  'store',
  'cancelled',
  'internal',
] as const

/** See {@link FAILURE_CLASSES}. */
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** Every error code, its class, what it means and what to do. Codes are pinned: clients match on them. */
export const ERRORS = {
  card_unknown_key: {
    class: 'config',
    title: 'Unknown key in a card',
    fix: 'Correct the key or remove it; `troupe run <card> --help` prints every key.',
  },
  card_alias_conflict: {
    class: 'config',
    title: 'A key and its alias have different values',
    fix: 'Keep one of the two.',
  },
  card_bad_value: {
    class: 'config',
    title: 'A value in a card is not of the expected kind',
    fix: 'Write a value of the kind named in the message.',
  },
  card_bad_yaml: {
    class: 'config',
    title: 'The front matter is not valid YAML',
    fix: 'Correct the YAML at the given line.',
  },
  card_syntax: {
    class: 'config',
    title: 'The file is not a card',
    fix: 'Start the file with a `---` line, YAML, and a second `---` line; no other language is allowed.',
  },
  card_edit_refused: {
    class: 'config',
    title: 'An edit of a card would change more than it should, or has no place in it',
    fix: 'Change the file by hand.',
  },
  card_too_large: {
    class: 'config',
    title: 'The file is too large for a card',
    fix: 'Keep a card below 1 MiB; move data to files that the agent reads.',
  },
  card_unreadable: {
    class: 'config',
    title: 'The card could not be read',
    fix: 'Check the path and its permissions.',
  },
  card_no_instruction: {
    class: 'config',
    title: 'The card has no prompt',
    fix: 'Write the prompt as the body of the card or as `instruction`.',
  },
  card_no_description: {
    class: 'config',
    title: 'The card has no description',
    fix: 'Say in `description` what the agent does and when to call it.',
  },
  card_two_instructions: {
    class: 'config',
    title: 'The card has both a body and `instruction`',
    fix: 'Keep one of the two.',
  },
  card_unknown_dialect: {
    class: 'config',
    title: 'The dialect of the card is not known',
    fix: 'Remove `dialect` or name a known one.',
  },
  card_unsupported: {
    class: 'config',
    title: 'The card asks for a kind of agent that is not there',
    fix: 'See docs/dialects.md for what each dialect may ask for.',
  },
  card_include: {
    class: 'config',
    title: 'A file that the prompt includes could not be put in',
    fix: 'Correct the path; files are included from the folder of the card and below it.',
  },
  card_duplicate_name: {
    class: 'config',
    title: 'Two agents have one name',
    fix: 'Give each agent of the team its own `name`.',
  },
  card_read_only: {
    class: 'permission',
    title: 'A card that cannot be written here',
    fix: 'Change the file where it lies, by who may.',
  },
  card_changed: {
    class: 'config',
    title: 'A card was changed by somebody else in the meantime',
    fix: 'Read it again, and make the change to what is there now.',
  },
  remote_card_forbidden: {
    class: 'config',
    title: 'A remote card asks for something only local cards may have',
    fix: 'Save the card locally, read it, and run it from there.',
  },
  agent_unknown: {
    class: 'config',
    title: 'No agent of that name',
    fix: 'Correct the name, or add the card with `--card` or `--agent-cards`.',
  },
  agent_ambiguous: {
    class: 'config',
    title: 'The entry agent of the folder is not clear',
    fix: 'Name one with `--agent`, or set `default: true` in one card.',
  },
  agent_cycle: {
    class: 'depth',
    title: 'Agents call each other in a circle',
    fix: 'Remove one of the calls on the path shown.',
  },
  composition_incomplete: {
    class: 'config',
    title: 'A composition lacks the agents it is made of',
    fix: 'Add the key named in the message; docs/compositions.md lists those of each type.',
  },
  config_invalid: {
    class: 'config',
    title: 'The configuration file is not valid',
    fix: 'Correct the key named in the message.',
  },
  input_invalid: {
    class: 'config',
    title: 'The input does not fit the agent',
    fix: 'Send what the `input` block of the card asks for.',
  },
  key_without_effect: {
    class: 'config',
    title: 'A key has no effect in this version',
    fix: 'Remove the key, or do not rely on it.',
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
    fix: 'Write `provider/name` with one of the known providers.',
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
  model_script_exhausted: {
    class: 'model',
    title: 'The model script has no further step',
    fix: 'Add a step or a rule to the script.',
  },
  model_auth: {
    class: 'auth',
    title: 'The provider refused the key',
    fix: 'Check the key named in the message.',
  },
  model_rate_limited: {
    class: 'model',
    title: 'The provider limits the rate of requests',
    fix: 'Wait, lower the parallelism, or name a fallback model.',
  },
  model_quota_exceeded: {
    class: 'budget',
    title: 'The quota or the credit at the provider is used up',
    fix: 'Raise the limit or add credit at the provider, or name a fallback model of another one.',
  },
  model_overloaded: {
    class: 'model',
    title: 'The provider is overloaded or failing',
    fix: 'Try again later or name a fallback model.',
  },
  model_unavailable: {
    class: 'model',
    title: 'The provider failed so often that it is left alone for a while',
    fix: 'Wait for the time named in the message, or name a fallback model of another provider.',
  },
  model_bad_request: {
    class: 'model',
    title: 'The provider refused the request',
    fix: 'Read the message: the request itself is at fault.',
  },
  model_not_found: {
    class: 'model',
    title: 'The provider does not know the model',
    fix: 'Correct the model name.',
  },
  model_bad_stream: {
    class: 'model',
    title: 'The provider broke off or garbled its answer',
    fix: 'Try again; if it stays, report it to the provider.',
  },
  model_empty_answer: {
    class: 'model',
    title: 'The model gave an empty answer',
    fix: 'Try again or use another model.',
  },
  model_output_cut: {
    class: 'limit',
    title: 'The answer was cut off by the limit on output tokens',
    fix: 'Raise `maxOutputTokens`.',
  },
  model_output_too_long: {
    class: 'limit',
    title: 'The model did not stop writing',
    fix: 'Set `maxOutputTokens`, or use another model.',
  },
  model_refused: { class: 'model', title: 'The model refused to answer', fix: 'Change the request.' },
  model_unreachable: {
    class: 'network',
    title: 'The provider could not be reached',
    fix: 'Check the base URL and the network.',
  },
  model_timeout: {
    class: 'timeout',
    title: 'The model took too long',
    fix: 'Raise `limits.llmTimeout` or `limits.idleTimeout`, or use a faster model.',
  },
  context_overflow: {
    class: 'model',
    title: 'The conversation is too long for the model',
    fix: 'Use a model with a larger context, or give the agent less.',
  },
  tool_unknown: {
    class: 'tool',
    title: 'No tool of that name',
    fix: 'Call one of the tools that are offered.',
  },
  tool_bad_arguments: {
    class: 'tool',
    title: 'The arguments do not fit the tool',
    fix: 'Send arguments that match the input schema.',
  },
  tool_timeout: {
    class: 'timeout',
    title: 'The tool took too long',
    fix: 'Raise `limits.toolTimeout` or make the tool faster.',
  },
  tool_outcome_unknown: {
    class: 'tool',
    title: 'The run was interrupted while the tool worked, so what it did is not known',
    fix: 'Find out whether it took effect before calling it again.',
  },
  tool_failed: { class: 'tool', title: 'The tool failed', fix: 'Read the message of the tool.' },
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
  mcp_server: {
    class: 'tool',
    title: 'An MCP server did something odd that ends nothing',
    fix: 'See the message; the agent works on without what is left out.',
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
  mcp_start_failed: {
    class: 'tool',
    title: 'An MCP server did not start',
    fix: 'Run its command by hand; its last error output is in the message.',
  },
  mcp_crashed: {
    class: 'tool',
    title: 'The process of an MCP server ended during a call',
    fix: 'See its error output; the next call starts it again.',
  },
  mcp_closed: {
    class: 'tool',
    title: 'The connection to the MCP server ended',
    fix: 'The next call connects again, unless the server is left alone for now.',
  },
  mcp_needs_auth: {
    class: 'auth',
    title: 'The MCP server wants a login',
    fix: 'Run `troupe servers login <name>`, or send a key in its `headers`.',
  },
  mcp_auth_failed: {
    class: 'auth',
    title: 'The login to an MCP server failed',
    fix: 'Read the message; `troupe servers login <name>` tries again.',
  },
  mcp_failed: {
    class: 'tool',
    title: 'The MCP server answered with an error',
    fix: 'Read the message of the server.',
  },
  mcp_oversize: {
    class: 'tool',
    title: 'The MCP server sent a message that is too large',
    fix: 'Ask the tool for less.',
  },
  child_failed: {
    class: 'tool',
    title: 'The agent called as a tool failed',
    fix: 'Read its message; call it again, call another, or conclude without it.',
  },
  child_timeout: {
    class: 'timeout',
    title: 'The agent called as a tool took too long',
    fix: 'Raise `limits.childTimeout` or ask it for less.',
  },
  run_timeout: {
    class: 'timeout',
    title: 'The run took too long',
    fix: 'Raise `limits.timeout` or --timeout.',
  },
  run_waiting: {
    class: 'cancelled',
    title: 'The run waits for a person',
    fix: 'Decide with `troupe runs approve RUN`; the run goes on.',
  },
  run_cancelled: { class: 'cancelled', title: 'The run was stopped', fix: 'Start it again.' },
  depth_exceeded: {
    class: 'depth',
    title: 'Agents are nested too deeply',
    fix: 'Raise `limits.maxDepth` or flatten the team.',
  },
  composition_unfinished: {
    class: 'limit',
    title: 'A composition reached its limit before it was done',
    fix: 'Raise `maxRefinements` or `planIterations`, or ask for less.',
  },
  turns_exceeded: { class: 'limit', title: 'The agent used up its turns', fix: 'Raise `limits.maxTurns`.' },
  calls_exceeded: {
    class: 'limit',
    title: 'Too many tool calls in one turn',
    fix: 'Raise `limits.maxToolCallsPerTurn` or call fewer tools at once.',
  },
  runs_exceeded: {
    class: 'limit',
    title: 'The run has started too many agents',
    fix: 'Raise `limits.maxRuns`.',
  },
  budget_exceeded: {
    class: 'budget',
    title: 'The budget is used up',
    fix: 'Raise `limits.maxTokens` or `limits.maxCost`.',
  },
  hook_failed: { class: 'tool', title: 'A hook threw an error', fix: 'Correct the hook.' },
  hook_no_result: {
    class: 'tool',
    title: 'A hook returned no result',
    fix: 'Return the result of `callNext(args)` or a result of its own.',
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
  hook_rate_limited: {
    class: 'limit',
    title: 'A hook refused the call: there were too many in a short time',
    fix: 'Wait, or raise `calls` of the hook.',
  },
  hook_timeout: {
    class: 'timeout',
    title: 'A hook took too long',
    fix: 'Raise `limits.hookTimeout` or make the hook faster.',
  },
  exports_no_tools: {
    class: 'config',
    title: 'The agent offers no tools of its own',
    fix: 'Describe them in `exports.tools` of its card: name, description, parameters, prompt.',
  },
  template_unknown_placeholder: {
    class: 'config',
    title: 'A placeholder names nothing',
    fix: 'Name a parameter of the tool, or write {{ and }} for literal braces.',
  },
  composition_bad_answer: {
    class: 'model',
    title: 'The model of a composition did not answer in the form asked for',
    fix: 'Use a model with structured output, or say in its prompt what to answer.',
  },
  output_schema_mismatch: {
    class: 'model',
    title: 'The answer does not match the output schema',
    fix: 'Loosen the schema or use a model with structured output.',
  },
  missing_schema: {
    class: 'config',
    title: 'JSON output needs a schema',
    fix: 'Send a schema or declare `output.schema` in the card.',
  },
  invalid_schema: {
    class: 'config',
    title: 'The schema is not valid JSON Schema',
    fix: 'Correct the schema.',
  },
  approval_denied: {
    class: 'permission',
    title: 'The call was not approved',
    fix: 'Do without it, or ask the person.',
  },
  approval_unknown: {
    class: 'config',
    title: 'No such call waits for a decision',
    fix: 'See `troupe runs show RUN`.',
  },
  permission_denied: {
    class: 'permission',
    title: 'A rule forbids the call',
    fix: 'Change `permissions.deny`, or do without it.',
  },
  headless_no_tools: {
    class: 'permission',
    title: 'Every tool of an agent needs an approval, and nobody can be asked',
    fix: 'Allow the tools it may use without a person in `permissions.allow`, or set `toolPermission: never`.',
  },
  human_unavailable: {
    class: 'permission',
    title: 'No person answered the question',
    fix: 'Go on without the answer, or say what is missing.',
  },
  filesystem_denied: {
    class: 'permission',
    title: 'File tools may not touch the path',
    fix: 'Use a path inside the root folder that does not belong to the team itself.',
  },
  filesystem_failed: {
    class: 'tool',
    title: 'A file could not be read or written',
    fix: 'List the folder to see what is there.',
  },
  shell_failed: {
    class: 'tool',
    title: 'A command could not be started',
    fix: 'Check its name, and that it is installed.',
  },
  skill_invalid: {
    class: 'config',
    title: 'A skill cannot be read',
    fix: 'Give the folder a SKILL.md with `name` and `description` in its front matter.',
  },
  skill_unknown: {
    class: 'tool',
    title: 'There is no such skill, or no such file in it',
    fix: 'Use a name from the list of skills.',
  },
  url_refused: {
    class: 'permission',
    title: 'The address may not be fetched',
    fix: 'Use a public https address that holds what is wanted.',
  },
  url_failed: {
    class: 'network',
    title: 'The address could not be fetched',
    fix: 'Check the address and the network.',
  },
  url_timeout: {
    class: 'timeout',
    title: 'The address was not fetched in time',
    fix: 'Try again, or save what it holds as a file.',
  },
  url_too_large: {
    class: 'limit',
    title: 'What the address holds is too large',
    fix: 'Make it smaller, or save it as a file.',
  },
  store_locked: { class: 'store', title: 'Another process owns the run', fix: 'Wait for it or stop it.' },
  store_full: { class: 'store', title: 'The store cannot be written', fix: 'Free some space.' },
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
  session_busy: {
    class: 'limit',
    title: 'The conversation has a run that has not ended',
    fix: 'Wait for its end, or decide on the call that it waits for; see `troupe runs list`.',
  },
  run_unknown: {
    class: 'store',
    title: 'The store holds no such run',
    fix: 'See `troupe runs list`.',
  },
  run_not_resumable: {
    class: 'store',
    title: 'The run cannot be resumed',
    fix: 'Run it again from its beginning.',
  },
  run_changed: {
    class: 'store',
    title: 'A card has changed since the run was interrupted',
    fix: 'Put the card back, or resume with `--accept-changes`.',
  },
  run_step_unknown: {
    class: 'config',
    title: 'The run has no such step',
    fix: 'Name a turn: `2` of the root, `1.2/3` of the run that its call 1.2 opened; see `troupe runs events RUN`.',
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
  store_lease_lost: {
    class: 'store',
    title: 'Another process has taken over the run',
    fix: 'Follow the run there; this process had given no sign of life for too long.',
  },
  store_unavailable: {
    class: 'store',
    title: 'The store cannot be opened',
    fix: 'Check the path and its permissions, or go on without a store.',
  },
  store_corrupt: {
    class: 'store',
    title: 'The file is no store of runs, or it is damaged',
    fix: 'Move it away, or name another file.',
  },
  store_newer: {
    class: 'store',
    title: 'The store was written by a later version',
    fix: 'Update Troupe, or name another file.',
  },
  request_invalid: {
    class: 'config',
    title: 'The request was not understood',
    fix: 'Correct what the message names; `/openapi.json` describes every request.',
  },
  request_refused: {
    class: 'permission',
    title: 'The request is for another host, or comes from a page of another one',
    fix: 'Call the server by the address that it printed, or start it with `--allow-origin`.',
  },
  request_too_large: {
    class: 'limit',
    title: 'The request is too large',
    fix: 'Send less, or raise `server.maxBodyBytes`.',
  },
  request_media_type: {
    class: 'config',
    title: 'The body is not of a kind that is read here',
    fix: 'Send JSON with `Content-Type: application/json`.',
  },
  request_repeated: {
    class: 'config',
    title: 'The key of this request stands for another one',
    fix: 'Use a new `Idempotency-Key` for every new request.',
  },
  route_unknown: {
    class: 'config',
    title: 'Nothing is served at this path',
    fix: 'See `/openapi.json` for what is.',
  },
  method_unknown: {
    class: 'config',
    title: 'The path does not take this method',
    fix: 'See the header `Allow`.',
  },
  token_required: {
    class: 'auth',
    title: 'The server wants a token that it knows',
    fix: 'Send it as `Authorization: Bearer <token>`.',
  },
  server_exposed: {
    class: 'config',
    title: 'The server would be open to the network without a token',
    fix: 'Give it a token with `--token`, or let it listen on 127.0.0.1.',
  },
  slack_refused: {
    class: 'auth',
    title: 'Slack refused the app',
    fix: 'Check the tokens and the scopes; `troupe slack --check` says what is missing.',
  },
  slack_trouble: {
    class: 'network',
    title: 'Something went wrong between the app and Slack',
    fix: 'It is tried again as a rule; if it goes on, check the connection and `troupe slack --check`.',
  },
  server_busy: {
    class: 'limit',
    title: 'The server has as much to do as it can',
    fix: 'Try again after the time that `Retry-After` names.',
  },
  rate_limited: {
    class: 'limit',
    title: 'The caller has sent too many requests',
    fix: 'Try again after the time that `Retry-After` names.',
  },
  internal: {
    class: 'internal',
    title: 'An error in Troupe itself',
    fix: 'Please report it with the message.',
  },
} as const

/** A code of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS
