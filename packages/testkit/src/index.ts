export { expectRun, type ArgumentPatterns, type CallCount, type RunExpectation } from './run/expect-run.ts'
export type { TextPattern, ValuePattern } from './run/match-value.ts'
export { collectRun, replayRun, type PartialRun, type ReplayHost, type TestedRun } from './run/tested-run.ts'
export { startMcpServer, type McpTestCall, type McpTestServer, type McpTestTool } from './mcp/mcp-server.ts'
export {
  type ScriptedPart,
  type ScriptedStep,
  type ScriptedToolCall,
  type ScriptedUsage,
  scriptedModel,
  type Script,
  type ScriptedCall,
  type ScriptedModel,
} from './model/scripted-model.ts'
export { startFakeAnthropic } from './providers/anthropic.ts'
export { startFakeAzure, type FakeAzureOptions } from './providers/azure.ts'
export { startFakeBedrock, type FakeBedrockOptions } from './providers/bedrock.ts'
export type {
  FakeAnswer,
  FakeAnswerCall,
  FakeAnswers,
  FakeAnswerUsage,
  FakeCitation,
  FakeProvider,
  FakeProviderOptions,
  RecordedRequest,
} from './providers/fake-provider.ts'
export { startFakeDeepSeek } from './providers/deepseek.ts'
export { startFakeGoogle } from './providers/google.ts'
export { startFakeGroq } from './providers/groq.ts'
export { startFakeMistral } from './providers/mistral.ts'
export { startFakeOllama } from './providers/ollama.ts'
export { startFakeOpenAI } from './providers/openai.ts'
export { startFakeVertex, type FakeVertexOptions } from './providers/vertex.ts'
