export { deferred, type Deferred } from './deferred.ts'
export { advanceUntil, fakeClock, type FakeClock } from './fake-clock.ts'
export {
  HOSTILE_SCHEMAS,
  HOSTILE_TEXTS,
  type HostileKind,
  type HostileSchema,
  type HostileText,
} from './hostile-texts.ts'
export { heldClock, type HeldClock } from './held-clock.ts'
export { HOSTILE_VALIDATIONS, type HostileValidation } from './hostile-validations.ts'
export { leakCheck, type LeakCheck } from './leak-check.ts'
export { faultMcpStdio, startFaultMcpHttp, type FaultMcpHttp, type FaultMcpStatus } from './fault-mcp.ts'
export {
  startProtectedServer,
  type ProtectedServer,
  type ProtectedServerOptions,
} from './oauth/protected-server.ts'
export {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOllama,
  startFakeOpenAI,
  type FakeAnswer,
  type FakeAnswerCall,
  type FakeAnswers,
  type FakeAnswerUsage,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from './providers/index.ts'
export { findProcesses } from './find-processes.ts'
export { recordEvents, type EventRecord } from './record-events.ts'
export type { ScriptedPart, ScriptedStep, ScriptedToolCall, ScriptedUsage } from './scripted-step.ts'
export { sampleEvent } from './sample-event.ts'
export { scriptedModel, type Script, type ScriptedCall, type ScriptedModel } from './scripted-model.ts'
export { settle } from './settle.ts'
export { tempProject, type TempProject } from './temp-project.ts'
export { verifies } from './verifies.ts'
