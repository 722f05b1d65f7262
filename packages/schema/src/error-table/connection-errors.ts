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
