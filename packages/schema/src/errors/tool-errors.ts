/** Failures of tools, hooks and servers. */
export const TOOL_ERRORS = {
  export_need_failed: {
    class: 'tool',
    title: 'A tool that an exported tool needs did not return an answer',
    fix: 'Find out why that tool failed, then call again.',
  },
  tool_unknown: {
    class: 'tool',
    title: 'There is no tool with this name',
    fix: 'Call one of the tools that are offered.',
  },
  tool_bad_arguments: {
    class: 'tool',
    title: 'The arguments do not match the schema of the tool',
    fix: 'Send arguments that match the input schema.',
  },
  tool_outcome_unknown: {
    class: 'tool',
    title: 'The run was interrupted while the tool was running, so its effect is unknown',
    fix: 'Check whether it took effect before you call it again.',
  },
  tool_failed: {
    class: 'tool',
    title: 'The tool failed',
    fix: 'Correct the arguments, or fix the tool if the arguments are right.',
  },
  mcp_server: {
    class: 'tool',
    title: 'An MCP server did something unexpected, and the run continues',
    fix: 'See the message. The agent continues without the part that was left out.',
  },
  mcp_start_failed: {
    class: 'tool',
    title: 'An MCP server did not start',
    fix: 'Run its command by hand; its last error output is in the message.',
  },
  mcp_crashed: {
    class: 'tool',
    title: 'The process of an MCP server exited during a call',
    fix: 'See the error output of the server; the next call restarts the server.',
  },
  mcp_closed: {
    class: 'tool',
    title: 'The connection to the MCP server was closed',
    fix: 'The next call reconnects, unless reconnecting is paused.',
  },
  mcp_failed: {
    class: 'tool',
    title: 'The MCP server returned an error',
    fix: 'Correct the arguments, or fix the server if the arguments are right.',
  },
  mcp_oversize: {
    class: 'tool',
    title: 'The MCP server sent a message that is too large',
    fix: 'Request less data from the tool.',
  },
  child_failed: {
    class: 'tool',
    title: 'The agent called as a tool failed',
    fix: 'Read its message. Call it again, call another agent, or finish without it.',
  },
  hook_failed: {
    class: 'tool',
    title: 'A hook refused to continue, or failed',
    fix: 'Resolve the reason in the message. The hooks of an agent are under `toolHooks` and `loopHooks` of its card.',
  },
  hook_no_result: {
    class: 'tool',
    title: 'A hook returned no result',
    fix: 'Return the result of `callNext(args)`, or another result.',
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
    title: 'The skill does not exist, or it does not have this file',
    fix: 'Use a name from the list of skills.',
  },
} as const

/** Calls that rules or people do not allow. */
export const PERMISSION_ERRORS = {
  card_read_only: {
    class: 'permission',
    title: 'The card cannot be edited here',
    fix: 'Edit the file itself, with the permissions that it requires.',
  },
  person_required: {
    class: 'permission',
    title: 'The tool requires human input',
    fix: 'Call it from a client that can show forms (`elicitation`).',
  },
  approval_denied: {
    class: 'permission',
    title: 'The call was not approved',
    fix: 'Continue without the call, or ask the person.',
  },
  permission_denied: {
    class: 'permission',
    title: 'A rule forbids the call',
    fix: 'Change `permissions.deny`, or continue without the call.',
  },
  guard_denied: {
    class: 'permission',
    title: 'A guard denied a text',
    fix: 'Change the text, or the `guard` key of the card.',
  },
  guard_failed: {
    class: 'permission',
    title: 'A guard could not check a text, so the text was denied',
    fix: 'Correct the guard named in the message.',
  },
  guard_redacted: {
    class: 'permission',
    title: 'A guard removed parts of a text',
    fix: 'Nothing to do; the run continues without these parts.',
  },
  guard_noted: {
    class: 'permission',
    title: 'A guard found something and only reports it',
    fix: 'Check the text, or set another `action` of the guard.',
  },
  headless_no_tools: {
    class: 'permission',
    title: 'Every tool of an agent needs approval, but approvals are not available',
    fix: 'Allow the tools that may run without approval in `permissions.allow`, or set `toolPermission: never`.',
  },
  human_unavailable: {
    class: 'permission',
    title: 'The question was not answered',
    fix: 'Continue without the answer, or say what is missing.',
  },
  filesystem_denied: {
    class: 'permission',
    title: 'File tools may not access the path',
    fix: "Use a path inside the root folder that is not one of the team's own files.",
  },
  url_refused: {
    class: 'permission',
    title: 'The URL may not be fetched',
    fix: 'Use a public https URL with the content that you need.',
  },
} as const
