"""Function tools of a cook. They import neither fast-agent nor Troupe."""

from typing import Literal

GRAMS = {"cup": 120.0, "ounce": 28.35, "pound": 453.6}


def convert(amount: float, unit: Literal["cup", "ounce", "pound"]) -> str:
    """Converts an amount of flour to grams.

    Args:
        amount: the amount in the unit
        unit: the unit of the recipe
    """
    if amount <= 0:
        raise ValueError("the amount must be positive")
    return f"{amount * GRAMS[unit]:.0f} g"


async def scale(ingredients: dict[str, float], guests: int, serves: int = 4) -> dict[str, float]:
    """Scales the ingredients of a recipe to the number of guests."""
    return {name: round(amount * guests / serves, 1) for name, amount in ingredients.items()}
