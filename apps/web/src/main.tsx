import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './styles.css'

const container = document.querySelector('#root')
if (container !== null)
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
