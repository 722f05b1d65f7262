import * as schema from '@troupe/schema'
import * as jsonSchema from '@troupe/schema/json-schema'
import * as zod from '@troupe/schema/zod'
import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'

// what others match on: a change here is a change for every user, so make it on purpose
describe('names that are pinned', () => {
  it('the exports of the schema package', () => {
    expect(Object.keys(schema).toSorted()).toEqual([
      'AGENT_KEYS',
      'AGENT_MODES',
      'AGENT_TYPES',
      'CellMap',
      'DEFAULT_LIMITS',
      'ERRORS',
      'EVENT_HEAD_KEYS',
      'EVENT_TYPES',
      'FAILURE_CLASSES',
      'HISTORY_MODES',
      'LIMIT_KEYS',
      'LOCAL_PRINCIPAL',
      'MODEL_ALIASES',
      'NO_USAGE',
      'OUTCOMES',
      'OpenList',
      'REASONING_LEVELS',
      'RUNTIME_TOOLS',
      'TOOL_CAPABILITIES',
      'TOOL_SOURCES',
      'TRANSIENT_EVENTS',
      'TroupeError',
      'addUsage',
      'agentFieldsSchema',
      'agentToolName',
      'canonicalJson',
      'chosenAnswer',
      'coerceToolResult',
      'defineAgent',
      'defineHook',
      'defineTool',
      'errorMessage',
      'eventHead',
      'failure',
      'getOwn',
      'hasAnswer',
      'hidesText',
      'inputMessage',
      'isJsonObject',
      'isStandardSchema',
      'isToolResult',
      'limitsSchema',
      'mcpServerSchema',
      'mcpToolName',
      'messageText',
      'openApprovals',
      'outcomeOf',
      'parseDuration',
      'placeEvent',
      'readAgentFields',
      'refusedRun',
      'resultText',
      'sha256Hex',
      'sumUsage',
      'toDefinition',
      'toFailure',
      'toUsageReport',
      'toWireName',
      'toolResult',
      'troupeError',
      'userMessage',
      'visibleText',
      'withHash',
    ])
  })

  it(`the exports of its further doors ${verifies('D18')}`, () => {
    expect(Object.keys(jsonSchema).toSorted()).toEqual([
      'SCHEMA_KINDS',
      'isJsonSchema',
      'isSchemaOf',
      'loosenedText',
      'mapSchema',
      'measureSchema',
      'memberPlace',
      'placeOf',
      'readJsonSchema',
      'schemaKind',
      'schemasIn',
      'visitSchema',
    ])
    expect(Object.keys(zod).toSorted()).toEqual(['schemaFromZod', 'schemaToZod'])
  })

  it('the keys of a card', () => {
    expect(schema.AGENT_KEYS).toEqual([
      '$schema',
      'dialect',
      'name',
      'description',
      'usage',
      'version',
      'type',
      'mode',
      'default',
      'hidden',
      'model',
      'temperature',
      'topP',
      'maxOutputTokens',
      'reasoning',
      'stopSequences',
      'toolName',
      'input',
      'output',
      'agents',
      'servers',
      'mcpServers',
      'tools',
      'functionTools',
      'toolHooks',
      'loopHooks',
      'exports',
      'skills',
      'limits',
      'historyMode',
      'toolPermission',
      'requiresApproval',
      'permissions',
      'runtimeTools',
      'toolPrefix',
      'instruction',
      'store',
      'context',
      'sequence',
      'cumulative',
      'fanOut',
      'fanIn',
      'includeRequest',
      'planIterations',
      'generator',
      'evaluator',
      'minRating',
      'maxRefinements',
      'refinementInstruction',
      'acquire',
      'display',
      'env',
    ])
  })

  it('the keys of limits', () => {
    expect(schema.LIMIT_KEYS).toEqual([
      'maxTurns',
      'maxToolCallsPerTurn',
      'maxParallel',
      'parallelToolCalls',
      'maxDepth',
      'maxRuns',
      'hookTimeout',
      'llmTimeout',
      'toolTimeout',
      'childTimeout',
      'idleTimeout',
      'timeout',
      'maxRetries',
      'approvalTimeout',
      'maxTokens',
      'maxCost',
      'maxToolResultBytes',
    ])
  })

  it('the types of events, and which of them are not kept', () => {
    expect(schema.EVENT_TYPES).toEqual([
      'run-start',
      'turn-start',
      'text-start',
      'text-delta',
      'text-end',
      'reasoning-delta',
      'tool-queued',
      'tool-call',
      'tool-start',
      'tool-progress',
      'tool-result',
      'approval-request',
      'approval-result',
      'model-retry',
      'model-fallback',
      'usage',
      'budget',
      'context-shortened',
      'run-waiting',
      'log',
      'warning',
      'turn-end',
      'run-end',
    ])
    expect([...schema.TRANSIENT_EVENTS]).toEqual([
      'text-start',
      'text-delta',
      'text-end',
      'reasoning-delta',
      'tool-progress',
      'log',
    ])
  })

  it('the values that cards may choose from', () => {
    expect(schema.AGENT_TYPES).toEqual([
      'agent',
      'chain',
      'parallel',
      'router',
      'orchestrator',
      'evaluator_optimizer',
    ])
    expect(schema.AGENT_MODES).toEqual(['interactive', 'autonomous', 'tools'])
    expect(schema.HISTORY_MODES).toEqual(['scratch', 'fork', 'fork_and_merge'])
    expect(schema.RUNTIME_TOOLS).toEqual(['shell', 'filesystem', 'human', 'skills', 'shared'])
    expect(schema.REASONING_LEVELS).toEqual([
      'provider-default',
      'none',
      'minimal',
      'low',
      'medium',
      'high',
      'xhigh',
      'max',
    ])
  })
})
