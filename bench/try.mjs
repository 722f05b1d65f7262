import { runHookChain } from '../packages/hooks/src/index.ts'
const signal = new AbortController().signal
const stop = { reason: undefined, onStop: () => () => {} }
const clock = process.env.NOCLOCK ? { now: () => 0, monotonic: () => 0, after: () => () => {} } : { now: () => Date.now(), monotonic: () => performance.now(), after: (ms, fn) => { const t = setTimeout(fn, ms); return () => clearTimeout(t) } }
const R = { outcome: 'completed', content: [{ type: 'text', text: 'ok' }] }
const call = async () => R
const pass = (_c, a, next) => next(a)
const context = { agentName: 'a', instanceName: 'b', toolName: 't', toolSource: 'function', toolUseId: '1', correlationId: '1:1', signal, state: () => new Map(), log: () => {} }
async function go(n, hooks) { for (let i = 0; i < n; i++) await runHookChain({ hooks, context: { ...context }, args: { n: i }, call, hookTimeoutMs: 10000, clock, stop }) }
for (const k of [3, 3, 3, 1, 0]) { const hooks = Array(k).fill(pass); await go(50000, hooks); const t = process.cpuUsage(); await go(300000, hooks); const u = process.cpuUsage(t); console.log(k, ((u.user + u.system) / 300000).toFixed(3), 'µs') }
let t = performance.now(); for (let i = 0; i < 1e6; i++) performance.now(); console.log('now ns', (performance.now() - t))
t = performance.now(); for (let i = 0; i < 1e6; i++) clearTimeout(setTimeout(()=>{}, 1000)); console.log('timeout ns', (performance.now() - t))
