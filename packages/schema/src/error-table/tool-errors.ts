/** Failures of tools, hooks and servers. */
export const TOOL_ERRORS = {
  export_need_failed: {
    class: 'tool',
    title: 'A tool that another one needs gave no answer',
    fix: 'See why the tool that the message names failed, and call again.',
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
  tool_outcome_unknown: {
    class: 'tool',
    title: 'The run was interrupted while the tool worked, so what it did is not known',
    fix: 'Find out whether it took effect before calling it again.',
  },
  tool_failed: { class: 'tool', title: 'The tool failed', fix: 'Read the message of the tool.' },
  mcp_server: {
    class: 'tool',
    title: 'An MCP server did something odd that ends nothing',
    fix: 'See the message; the agent works on without what is left out.',
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
  hook_failed: { class: 'tool', title: 'A hook threw an error', fix: 'Correct the hook.' },
  hook_no_result: {
    class: 'tool',
    title: 'A hook returned no result',
    fix: 'Return the result of `callNext(args)` or a result of its own.',
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
  skill_unknown: {
    class: 'tool',
    title: 'There is no such skill, or no such file in it',
    fix: 'Use a name from the list of skills.',
  },
} as const
