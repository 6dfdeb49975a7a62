import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that look at images. */
export const imageRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/images.md", {
    "images.untouched": "An image that clients take as it is arrives byte for byte.",
    "images.converted": "Other formats arrive as PNG, larger images scaled down, and it is said.",
    "images.refused": "What is no image is refused, with what it is and nothing of its content.",
    "images.bomb": "An image that unfolds to more than 100 megapixels is not decoded.",
    "images.relative": "Relative paths and file URLs are those of the workspace.",
    "images.damaged": "A damaged image is shown or refused; the server and its memory stay.",
    "images.cancelled": "A cancelled call leaves no decoder behind.",
  }),
};
