"""Where obstacles may stand: the spaces of a course as the bits of a number.

Bit i is space i. A space is open when neither it nor a neighbour holds an obstacle, a river or
the moor (length 20, river 2 and 5, moor 8, obstacles 11 and 14)::

    space      1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20
    holds      .  ~  .  .  ~  .  .  m  .  .  o  .  .  o  .  .  .  .  .  .
    open                                                    *  *  *  *  *
"""

from referee.games.giro_galoppo.types import Course


def open_with(course: Course, space: int) -> int:
    """The spaces (bits) still open on `course` once an obstacle stands on `space` too."""
    held = 1 << space
    for taken in (*course.river, *course.moor, *course.obstacles):
        held |= 1 << taken
    every_space = (2 << course.length) - 2
    return every_space & ~(held | held << 1 | held >> 1)


def most(open_spaces: int, enough: int) -> int:
    """How many obstacles fit on `open_spaces` (bits) with a free space between any two.

    Counts no further than `enough`. Taking the lowest open space each time is the best one
    can do: any other choice leaves fewer spaces to the rest.
    """
    count = 0
    while open_spaces and count < enough:
        lowest = open_spaces & -open_spaces
        open_spaces &= ~(lowest | lowest << 1)
        count += 1
    return count


def last_natural(course: Course) -> int:
    """The highest of the two river spaces and the moor space: the final stretch follows it."""
    return max(*course.river, *course.moor)


def after(open_spaces: int, space: int) -> int:
    """The spaces among `open_spaces` (bits) that come after `space`."""
    return open_spaces >> (space + 1) << (space + 1)
