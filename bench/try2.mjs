import { troupe } from './src/subjects/troupe.ts'
import { loopModel } from './src/models.ts'
const [a, b] = [JSON.parse(process.argv[2] ?? '{"hooks":3}'), {}]
const runs = [a, b].map((o) => troupe.loop({ model: loopModel(100), turns: 100, ...o }))
const cpu = async (run, n) => { const t = process.cpuUsage(); for (let i = 0; i < n; i++) await run(); const u = process.cpuUsage(t); return (u.user + u.system) / n / 100 }
for (const r of runs) await cpu(r, 300)
const out = []
for (let i = 0; i < 15; i++) { const x = await cpu(runs[0], 150), y = await cpu(runs[1], 150); out.push([x / y, x, y]) }
out.sort((p, q) => p[0] - q[0]); console.log('median', out[7].map((v) => v.toFixed(3)).join(' '), 'spread', out[0][0].toFixed(2), out[14][0].toFixed(2))
