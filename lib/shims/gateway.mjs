// The AI SDK's way to Vercel's AI Gateway, which the service never takes: it names its model by an object, not by a text.
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
