import '@angular/compiler'
import { bootstrapApplication } from '@angular/platform-browser'
import { App, inBrowser } from './app'

bootstrapApplication(App, inBrowser).catch((error) => console.error(error))
