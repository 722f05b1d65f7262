import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { z } from 'zod'

const weather = defineAgent({
  name: 'weather',
  instruction: 'Answer with the weather of the city, as JSON.',
  model: 'script/weather.yaml', // a script stands in for the model; with a key, write 'openai/gpt-5-mini'
  input: { schema: z.object({ city: z.string() }) },
  output: { schema: z.object({ sky: z.enum(['clear', 'cloudy']), degrees: z.number() }) },
})

const host = await createHost({ cards: [weather], cwd: import.meta.dirname, config: false, env: process.env })
try {
  const report = await host.run(
    weather,
    { city: 'Paris' },
    { timeout: 30_000, budget: { maxTokens: 20_000 } },
  )
  const { value } = report.output // { sky: 'clear' | 'cloudy', degrees: number } | undefined
  console.log(value === undefined ? report.error?.message : `${value.sky}, ${value.degrees} degrees`)
} finally {
  await host.close()
}
