// Starts a daemon in a session of its own inside the best containment, and waits to be killed. The argument is a file that the daemon writes.
import { createContainmentProbe, spawnContained } from '../../src/index.ts'

const [file = ''] = process.argv.slice(2)
const script = 'setsid sh -c \'trap "" TERM; : > "$0"; while :; do sleep 1; done\' "$0" & sleep 1000'
const env = { PATH: process.env['PATH'] ?? '' }
spawnContained({ command: 'sh', args: ['-c', script, file], cwd: '/', env }, await createContainmentProbe()())
setInterval(() => undefined, 1000)
