export type { AccessRecord } from './gate/access-log.ts'
export { createServer, type TroupeServer } from './create-server.ts'
export type { EventLoopStall } from './app/event-loop-watch.ts'
export type { WorkerState } from './app/worker-metrics.ts'
export { HEADEND_NAMES, type HeadendName } from './app/headend-table.ts'
export type { ServerToken } from './gate/principals.ts'
export type { RoleMapping } from './identity/roles.ts'
export type { OidcOptions } from './identity/token-verifier.ts'
export type { TrustedProxyOptions } from './identity/trusted-proxy.ts'
export {
  readServerConfig,
  type ServerConfig,
  type ServerLimits,
  type ServerOptions,
} from './server-options.ts'
export { createPushFile } from './push/push-file.ts'
export { createStoredLink, type StoredLinkRequest } from './runs/stored-link.ts'
export type { ServedHost } from './runs/served-runner.ts'
