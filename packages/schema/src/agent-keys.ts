// The keys of an agent card: schemas, values and defaults.

export {
  AGENT_KEYS,
  agentFieldsSchema,
  type ParsedAgentFields,
  AGENT_KEY_TABLE,
  type AgentKey,
} from './agents/agent-keys.ts'
export {
  agentName,
  inputSchema,
  LIMIT_KEYS,
  limitsSchema,
  mcpServerSchema,
  MODEL_ALIASES,
  permissionRulesSchema,
  prioritySchema,
  scheduleSchema,
} from './agents/key-schemas.ts'
export {
  AGENT_MODES,
  AGENT_TYPES,
  HISTORY_MODES,
  REASONING_LEVELS,
  RUNTIME_TOOLS,
  type AgentSchedule,
  type AgentSource,
  type ReasoningLevel,
} from './agents/agent.ts'
export { DEFAULT_LIMITS } from './agents/limits.ts'
export { toDefinition } from './agents/to-definition.ts'
export { TOOL_CAPABILITIES } from './agents/tool.ts'
export { GUARD_ACTIONS, GUARD_PLACES, guardAgents, guardName, isAgentUse } from './agents/guard.ts'
