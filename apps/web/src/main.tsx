import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App, preloadPage } from './app.tsx'
import { parseRoute } from './route/route.ts'
import './styles.css'

preloadPage(parseRoute(location.hash))
const container = document.querySelector('#root')
if (container !== null)
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
