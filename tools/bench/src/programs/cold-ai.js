import { generateText } from 'ai'
import { model } from './cold-model.js'

const { text } = await generateText({ model, instructions: 'Answer briefly.', prompt: 'hello' })
process.stdout.write(text)
