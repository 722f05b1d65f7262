import * as schema from '@troupe/schema'
import * as agentKeys from '@troupe/schema/agent-keys'
import * as json from '@troupe/schema/json'
import * as paths from '@troupe/schema/paths'
import * as ports from '@troupe/schema/ports'
import * as publicView from '@troupe/schema/public'
import * as text from '@troupe/schema/text'
import { describe, expect, it } from 'vitest'

// a change here breaks users who match on these names
describe('names that are pinned', () => {
  it('the schema package has these exports', () => {
    expect(Object.keys(schema).toSorted()).toEqual([
      'ERRORS',
      'EVENT_TYPES',
      'FAILURE_CLASSES',
      'LOCAL_PRINCIPAL',
      'NO_PROBLEMS',
      'NO_USAGE',
      'OUTCOMES',
      'TOOL_SOURCES',
      'TRANSIENT_EVENTS',
      'TroupeError',
      'addUsage',
      'agentToolName',
      'coerceToolResult',
      'defineAgent',
      'defineHook',
      'defineTool',
      'errorMessage',
      'failure',
      'getOwn',
      'hasAnswer',
      'isJsonObject',
      'isStandardSchema',
      'matchChoice',
      'mcpToolName',
      'messageText',
      'openApprovals',
      'outcomeOf',
      'parseDuration',
      'resultText',
      'sumUsage',
      'toFailure',
      'toUsageReport',
      'toWireName',
      'toolResult',
      'troupeError',
      'userMessage',
    ])
  })

  it('the other entry points of the schema package have these exports', () => {
    expect(Object.keys(agentKeys).toSorted()).toEqual([
      'AGENT_KEYS',
      'AGENT_KEY_TABLE',
      'AGENT_MODES',
      'AGENT_TYPES',
      'DEFAULT_LIMITS',
      'HISTORY_MODES',
      'LIMIT_KEYS',
      'MODEL_ALIASES',
      'REASONING_LEVELS',
      'RUNTIME_TOOLS',
      'TOOL_CAPABILITIES',
      'agentFieldsSchema',
      'limitsSchema',
      'mcpServerSchema',
      'permissionRulesSchema',
      'toDefinition',
    ])
    expect(Object.keys(json).toSorted()).toEqual([
      'MAX_JSON_DEPTH',
      'canonicalJson',
      'isJsonText',
      'isJsonTextTooDeep',
      'isJsonTooDeep',
      'sha256Hex',
    ])
    expect(Object.keys(paths).toSorted()).toEqual(['isBelow', 'isInside'])
    expect(Object.keys(ports).toSorted()).toEqual([
      'APPROVAL_EXPIRY_MS',
      'EVENT_ENVELOPE_KEYS',
      'LEASE_MS',
      'MAX_PROBLEMS',
      'MAX_PROBLEM_MESSAGE',
      'assignSequence',
      'eventEnvelope',
      'inputMessage',
      'problemMessage',
      'problemOf',
      'refusedRun',
      'requireModelVersion',
      'searchText',
    ])
    expect(Object.keys(publicView).toSorted()).toEqual([
      'publicEvent',
      'publicFailure',
      'reportHiddenFailures',
      'runForPublic',
    ])
    expect(Object.keys(text).toSorted()).toEqual(['closest', 'hasInvisibleText', 'visibleText', 'withHash'])
  })

  it('a card has these keys', () => {
    expect(agentKeys.AGENT_KEYS).toEqual([
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
      'agentTools',
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
      'memory',
      'toolPrefix',
      'instruction',
      'store',
      'context',
      'sequence',
      'cumulative',
      'fanOut',
      'fanIn',
      'handoffs',
      'includeRequest',
      'planIterations',
      'generator',
      'evaluator',
      'minRating',
      'maxRefinements',
      'refinementInstruction',
      'worker',
      'minLead',
      'maxSamples',
      'matchStrategy',
      'maxSampleLength',
      'acquire',
      'display',
      'env',
    ])
  })

  it('limits have these keys', () => {
    expect(agentKeys.LIMIT_KEYS).toEqual([
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

  it('events have these types, of which these are transient', () => {
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

  it('the keys of a card accept these values', () => {
    expect(agentKeys.AGENT_TYPES).toEqual([
      'agent',
      'chain',
      'parallel',
      'router',
      'orchestrator',
      'evaluator_optimizer',
      'voting',
    ])
    expect(agentKeys.AGENT_MODES).toEqual(['interactive', 'autonomous', 'tools'])
    expect(agentKeys.HISTORY_MODES).toEqual(['scratch', 'fork', 'fork_and_merge'])
    expect(agentKeys.RUNTIME_TOOLS).toEqual([
      'shell',
      'filesystem',
      'human',
      'skills',
      'shared',
      'fetch',
      'search',
      'todo',
      'memory',
    ])
    expect(agentKeys.REASONING_LEVELS).toEqual([
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
