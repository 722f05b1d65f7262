/** Failures of models and their providers. */
export const MODEL_ERRORS = {
  model_script_exhausted: {
    class: 'model',
    title: 'The model script has no further step',
    fix: 'Add a step or a rule to the script.',
  },
  model_rate_limited: {
    class: 'model',
    title: 'The rate limit of the provider was reached',
    fix: 'Wait, lower the parallelism, or set a fallback model.',
  },
  model_overloaded: {
    class: 'model',
    title: 'The provider is overloaded or failing',
    fix: 'Try again later, or set a fallback model.',
  },
  model_unavailable: {
    class: 'model',
    title: 'Calls to the model are paused because too many of them failed',
    fix: 'Wait for the time given in the message, or set a fallback model of another provider.',
  },
  model_bad_request: {
    class: 'model',
    title: 'The provider rejected the request',
    fix: 'Correct the request as the message says; a retry does not help.',
  },
  model_not_found: {
    class: 'model',
    title: 'The provider does not know the model',
    fix: 'Correct the model name.',
  },
  model_bad_stream: {
    class: 'model',
    title: 'The response of the provider was cut off or malformed',
    fix: 'Try again. If the error persists, report it to the provider.',
  },
  model_empty_answer: {
    class: 'model',
    title: 'The model returned an empty answer',
    fix: 'Try again or use another model.',
  },
  model_refused: { class: 'model', title: 'The model refused to answer', fix: 'Change the request.' },
  context_overflow: {
    class: 'model',
    title: 'The conversation is too long for the model',
    fix: 'Use a model with a larger context window, or give the agent less input.',
  },
  composition_bad_answer: {
    class: 'model',
    title: 'The model of a composition did not answer in the required format',
    fix: 'Use a model with structured output, or describe the format in its prompt.',
  },
  output_schema_mismatch: {
    class: 'model',
    title: 'The answer does not match the output schema',
    fix: 'Loosen the schema or use a model with structured output.',
  },
} as const

/** Authentication failures, timeouts and unreachable services. */
export const CONNECTION_ERRORS = {
  model_auth: {
    class: 'auth',
    title: 'The provider refused the key',
    fix: 'Check the key of the provider.',
  },
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
  tool_timeout: {
    class: 'timeout',
    title: 'The tool took too long',
    fix: 'Raise `limits.toolTimeout` or make the tool faster.',
  },
  mcp_needs_auth: {
    class: 'auth',
    title: 'The MCP server requires a login',
    fix: 'Run `troupe servers login <name>`, or send a key in its `headers`.',
  },
  mcp_auth_failed: {
    class: 'auth',
    title: 'The login to an MCP server failed',
    fix: 'Try again with `troupe servers login <name>`.',
  },
  child_timeout: {
    class: 'timeout',
    title: 'The agent called as a tool took too long',
    fix: 'Raise `limits.childTimeout`, or give the agent a smaller task.',
  },
  run_timeout: {
    class: 'timeout',
    title: 'The run took too long',
    fix: 'Raise `limits.timeout` or --timeout.',
  },
  hook_timeout: {
    class: 'timeout',
    title: 'A hook took too long',
    fix: 'Raise `limits.hookTimeout` or make the hook faster.',
  },
  url_failed: {
    class: 'network',
    title: 'The URL could not be fetched',
    fix: 'Check the URL and the network.',
  },
  url_timeout: {
    class: 'timeout',
    title: 'The URL could not be fetched in time',
    fix: 'Try again, or save its content as a file.',
  },
  slack_refused: {
    class: 'auth',
    title: 'Slack rejected the app',
    fix: 'Check the tokens and the scopes; `troupe slack --check` lists what is missing.',
  },
  slack_trouble: {
    class: 'network',
    title: 'Something went wrong between the app and Slack',
    fix: 'The app usually retries. If the error persists, check the connection and run `troupe slack --check`.',
  },
} as const
