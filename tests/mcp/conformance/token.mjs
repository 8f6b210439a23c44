// Gives each request of the process the token of the server under test, which the tool has no option for.
import diagnostics from 'node:diagnostics_channel'

const token = `Bearer ${process.env.TOKEN}`
diagnostics.subscribe('undici:request:create', ({ request }) => request.addHeader('authorization', token))
diagnostics.subscribe('http.client.request.created', ({ request }) => request.setHeader('authorization', token))
