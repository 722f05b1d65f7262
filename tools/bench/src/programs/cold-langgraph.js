import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { createReactAgent } from '@langchain/langgraph/prebuilt'

class Model extends BaseChatModel {
  _llmType() {
    return 'cold'
  }

  async _generate() {
    return { generations: [{ text: 'done', message: new AIMessage('done') }] }
  }
}

const agent = createReactAgent({ llm: new Model({}), tools: [], prompt: 'Answer briefly.' })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'hello' }] })
process.stdout.write(messages.at(-1).text)
