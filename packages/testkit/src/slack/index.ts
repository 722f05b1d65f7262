export {
  type FakeSlack,
  type FakeSlackOptions,
  type SlackCall,
  ACME,
  type FakeChannel,
  type FakeWorkspace,
} from './fake-slack.ts'
export { buttonOf, type FakeMessage, type FakeTask } from './fake-message.ts'
export { eventRequirements, neededScopes } from './method-call.ts'
export type { FakeFile, OfferedFile } from './fake-files.ts'
export {
  clickPayload,
  commandPayload,
  mentionPayload,
  messagePayload,
  viewPayload,
  type WrittenMessage,
} from './slack-payloads.ts'
export type { SocketAck, FakeSocketMode } from './fake-socket-mode.ts'
export { startFakeSlack } from './start-fake-slack.ts'
