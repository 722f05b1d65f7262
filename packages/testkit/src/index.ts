export {
  deferred,
  settle,
  advanceUntil,
  fakeClock,
  heldClock,
  type Deferred,
  type FakeClock,
  type HeldClock,
} from './clock/fake-clock.ts'
export {
  HOSTILE_SCHEMAS,
  HOSTILE_TEXTS,
  type HostileKind,
  type HostileSchema,
  type HostileText,
} from './hostile-texts.ts'
export { HOSTILE_VALIDATIONS, type HostileValidation } from './hostile-validations.ts'
export { leakCheck, findProcesses, type LeakCheck } from './leak-check.ts'
export { faultMcpStdio, startFaultMcpHttp, type FaultMcpHttp, type FaultMcpStatus } from './fault-mcp.ts'
export {
  startProtectedServer,
  type ProtectedServer,
  type ProtectedServerOptions,
} from './oauth/protected-server.ts'
export { startFakeBedrock, type FakeBedrockOptions } from './providers/bedrock.ts'
export { startFakeAnthropic } from './providers/anthropic.ts'
export type {
  FakeAnswer,
  FakeAnswerCall,
  FakeAnswers,
  FakeAnswerUsage,
  FakeProvider,
  FakeProviderOptions,
  RecordedRequest,
} from './providers/fake-provider.ts'
export { startFakeAzure, type FakeAzureOptions } from './providers/azure.ts'
export { startFakeVertex, type FakeVertexOptions } from './providers/vertex.ts'
export { startFakeGoogle } from './providers/google.ts'
export { startFakeOllama } from './providers/ollama.ts'
export { startFakeGroq } from './providers/groq.ts'
export { startFakeMistral } from './providers/mistral.ts'
export { startFakeOpenAI } from './providers/openai.ts'
export { recordEvents, sampleEvent, type EventRecord } from './events/sample-event.ts'
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
export { HAS_PYTHON, PYTHON_NOTE } from './python.ts'
export { tempProject, type TempProject } from './temp-project.ts'
export { verifies } from './requirements/verifies.ts'
