// Replaces Vercel's AI Gateway in the AI SDK. The SDK uses it for models given by name; the service gives an object.
export class GatewayError extends Error {
  static isInstance() {
    return false;
  }
}
export class GatewayAuthenticationError extends GatewayError {}

export const gateway = undefined;
export const createGateway = () => {
  throw new Error('The AI Gateway is not part of this bundle.');
};
