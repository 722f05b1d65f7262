export { runHookChain, type HookChain, type HookChainResult } from './compose.ts'
