/** A function that does nothing: what the runtime itself takes to start. */
export const handler = async () => ({ statusCode: 200, body: '{}' });
